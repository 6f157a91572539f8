"""Plants small faults in a copy of the tree, all in one build, and says which of them no quick test notices when it is switched on."""

import argparse
import collections
import concurrent.futures
import filecmp
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from faults import SWITCH, faults_of, words_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORKERS = os.cpu_count() or 1
LONGEST = 90  # seconds that the tests of one fault may take together, by their times without it
EQUAL = os.path.join("tests", "mutate", "equal.txt")
# In the place of a file's first line, which is a comment: a fault must not be refused for its looks.
FIRST_LINE = "bool planted_fault(int number); " + " ".join(
    f'_Pragma("GCC diagnostic ignored \\"-W{name}\\"")'
    for name in ("parentheses", "unused-variable", "unused-but-set-variable", "unused-parameter", "unused-function", "type-limits",
                 "return-type", "implicit-fallthrough", "dangling-else", "redundant-decls", "bool-compare", "unused-value"))
# One fault is on, and each fault's place that runs is noted; both by variables, so that programs that tests start take part.
CHOICE = """// Which planted fault is on.
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
bool planted_fault(int number);
bool planted_fault(int number) {
  static const char* const chosen = std::getenv("PLANTED_FAULT");
  static const int choice = chosen != nullptr ? std::atoi(chosen) : -1;
  static const char* const notes = std::getenv("PLANTED_FAULT_NOTES");
  static std::bitset<65536> noted;
  if (notes != nullptr && !noted[static_cast<std::size_t>(number)]) {
    noted[static_cast<std::size_t>(number)] = true;
    char line[16];
    const int size = std::snprintf(line, sizeof line, "%d\\n", number);
    const int file = ::open(notes, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0 && ::write(file, line, static_cast<std::size_t>(size)) < 0) std::abort();
    if (file >= 0) ::close(file);
  }
  return number == choice;
}
"""

Test = collections.namedtuple("Test", "name command directory environment")


def say(text):
    print(text, file=sys.stderr, flush=True)


def equal_faults():
    """The faults that tests/mutate/equal.txt lists: pairs of a path and a fault's words."""
    with open(os.path.join(ROOT, EQUAL), encoding="utf-8") as file:
        return {tuple(line.rstrip().split(": ", 1)) for line in file if line.strip() and line[0] not in "# "}


def sources_below(paths):
    listed = subprocess.run(["git", "ls-files", "-z", "src", "cli"], cwd=ROOT, check=True, capture_output=True, text=True)
    others = ("host_posix.cpp", "linked_libraries.cpp", "listed_user.cpp", "local_unavailable.cpp")  # not in this build
    files = [path for path in listed.stdout.split("\0") if path.endswith(".cpp") and os.path.basename(path) not in others]
    wanted = [path.rstrip("/") for path in paths] or ["src", "cli"]
    for path in wanted:
        if not any(file == path or file.startswith(path + "/") for file in files):
            sys.exit(f"error: no .cpp file of src/ or cli/ is below {path}")
    return [file for file in files if any(file == path or file.startswith(path + "/") for path in wanted)]


def in_random_order(files, choice):
    """Statements at random, and one fault of each, so that a statement with many possible faults is not chosen more often."""
    equal = equal_faults()
    statements = []
    for path in files:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            statements += faults_of(path, file.read())
    choice.shuffle(statements)
    chosen = [choice.choice(statement) for statement in statements]
    return [fault for fault in chosen if (fault.path, words_of(fault)) not in equal]


class Scratch:
    """A copy of the tree with a build of its own, and the processes that run there."""

    def __init__(self, directory):
        self.root = directory
        self.build = os.path.join(directory, "build", "dev")
        self.healthy = {}  # the texts of files with faults, as they were when the work began
        self.lock = threading.Lock()
        self.children = set()

    def run(self, command, limit=None, directory=None, environment=None):
        """The exit status and output; None for the status when it took too long."""
        child = subprocess.Popen(
            command, cwd=directory or self.root, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        with self.lock:
            self.children.add(child)
        try:
            output, _ = child.communicate(timeout=limit)
            return child.returncode, output
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            self.stop(child)

    def stop(self, child):
        """Ends what a command left running."""
        with self.lock:
            self.children.discard(child)
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()

    def stop_all(self):
        for child in list(self.children):
            self.stop(child)

    def copy(self):
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
        for path in filter(None, listed.stdout.split("\0")):
            source, target = os.path.join(ROOT, path), os.path.join(self.root, path)
            if os.path.lexists(source):
                self.bring(source, target)
        self.write("src/base/planted_fault.cpp", CHOICE)

    @staticmethod
    def bring(source, target):
        """A file that differs becomes a new one, so that the build sees that a fault of an earlier time is gone."""
        if os.path.isfile(target) and not os.path.islink(source) and filecmp.cmp(source, target, shallow=False):
            return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.lexists(target):
            os.remove(target)
        shutil.copy(source, target, follow_symlinks=False)

    def write(self, path, text):
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
            file.write(text)

    def plant(self, faults):
        """Writes the files anew with the faults in them; a fault's number is its index."""
        by_path = collections.defaultdict(list)
        for number, fault in faults.items():
            by_path[fault.path].append((number, fault))
        for path, planted in by_path.items():
            if path not in self.healthy:
                with open(os.path.join(self.root, path), encoding="utf-8") as file:
                    self.healthy[path] = file.read()
            lines = self.healthy[path].split("\n")
            lines[0] = FIRST_LINE
            for number, fault in planted:
                at = fault.line - 1
                lines[at : at + fault.lines] = [fault.switched.replace(SWITCH, f"::planted_fault({number})")] + [""] * (fault.lines - 1)
            self.write(path, "\n".join(lines))

    def build_with(self, faults, targets):
        """Builds with all faults that compile; those that do not are taken out of `faults`."""
        if self.run(["cmake", "--preset", "dev"])[0] != 0:
            sys.exit("error: cannot configure the copy")
        while True:
            self.plant(faults)
            for path in self.healthy.keys() - {fault.path for fault in faults.values()}:
                self.write(path, self.healthy[path])
            status, output = self.run(["nice", "ninja", "-C", self.build, "-k", "0", *targets])
            if status == 0:
                return
            refused = refused_by(output, faults, self.root)
            if not refused:
                sys.exit(f"error: cannot build the copy:\n{output[-4000:]}")
            say(f"   {len(refused)} do not compile and are left out")
            for number in refused:
                del faults[number]


def refused_by(output, faults, root):
    """The numbers of the faults where the compiler saw an error; where it saw one elsewhere, all of that file."""
    refused = set()
    for path, line in re.findall(r"^(\S+?):(\d+):\d+: (?:fatal )?error:", output, re.MULTILINE):
        path, line = os.path.relpath(os.path.join(root, "build", "dev", path), root), int(line)
        of_file = {number for number, fault in faults.items() if fault.path == path}
        at_line = {number for number in of_file if faults[number].line <= line < faults[number].line + faults[number].lines}
        refused |= at_line or of_file
    return refused


def tests_of(scratch, quick):
    """The tests that ctest knows, but each golden case by itself, and none that takes minutes or builds."""
    status, listed = scratch.run(["ctest", "--test-dir", scratch.build, "--show-only=json-v1"])
    if status != 0:
        sys.exit(f"error: cannot list the tests:\n{listed}")
    for each in json.loads(listed[listed.index("{") :])["tests"]:
        facts = {fact["name"]: fact["value"] for fact in each.get("properties", [])}
        conformance = each["name"] == "conformance.h2" and not quick
        if "unit" not in facts.get("LABELS", []) and not conformance:
            continue
        if each["name"].startswith("cli.") and quick:
            continue
        environment = dict(setting.split("=", 1) for setting in facts.get("ENVIRONMENT", []))
        directory = facts.get("WORKING_DIRECTORY", scratch.build)
        if not each["name"].startswith("cases."):
            yield Test(each["name"], each["command"], directory, environment)
            continue
        folder = os.path.join(scratch.root, "tests", "cases", each["name"].removeprefix("cases."))
        for file in sorted(os.listdir(folder)):
            if file.endswith(".case"):
                name = f"{os.path.basename(folder)}/{file.removesuffix('.case')}"
                yield Test(f"cases.{name}", [each["command"][0], name], directory, environment)


class Judge:
    """Knows which test reaches which fault, and runs those until one notices it."""

    def __init__(self, scratch, pool):
        self.scratch = scratch
        self.pool = pool
        self.seconds = {}
        self.reaching = collections.defaultdict(list)

    def run(self, test, variables, limit):
        return self.scratch.run(test.command, limit, test.directory, os.environ | test.environment | variables)

    def watch(self, test, notes):
        """Runs a test with no fault on, and notes which places it reaches. A test that fails then is left out."""
        path = os.path.join(notes, test.name.replace("/", "."))
        start = time.monotonic()
        status, _ = self.run(test, {"PLANTED_FAULT_NOTES": path}, 900)
        self.seconds[test.name] = time.monotonic() - start
        if status != 0:
            say(f"   {test.name} fails without a fault, and is left out")
            return
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for number in sorted({int(line) for line in file}):
                    self.reaching[number].append(test)

    def watch_all(self, tests, notes):
        list(self.pool.map(lambda test: self.watch(test, notes), tests))

    def judge(self, number, fault):
        """The name of a test that noticed the fault; "" when none did, None when none gets there."""
        tests = self.nearest(number, fault)
        if not tests:
            return None
        for begin in range(0, len(tests), WORKERS):
            some = tests[begin : begin + WORKERS]
            for test, noticed in zip(some, self.pool.map(lambda test: self.notices(number, test), some)):
                if noticed:
                    return test.name
        return ""

    def nearest(self, number, fault):
        """The tests that reach the fault: those of its room, then the quickest; as many as fit into LONGEST."""
        room = fault.path.split("/")[1] if fault.path.startswith("src/") else "cli"
        tests = sorted(self.reaching[number], key=lambda test: (not test.name.startswith(room + "."), self.seconds[test.name]))
        spent = itertools.accumulate(self.seconds[test.name] for test in tests)
        return [test for test, seconds in zip(tests, spent) if seconds < LONGEST or test is tests[0]]

    def notices(self, number, test):
        return self.run(test, {"PLANTED_FAULT": str(number)}, 20 + 5 * self.seconds[test.name])[0] != 0


def arguments():
    parser = argparse.ArgumentParser(prog="script/mutate", description=__doc__)
    parser.add_argument("what", nargs="*", metavar="PATH|N", help="where to plant (src/status, cli, a file), and how many faults")
    parser.add_argument("--seed", type=int, default=random.randrange(1000000), help="repeats an earlier choice")
    parser.add_argument("--quick", action="store_true", help="leave out the slowest: cli_test and conformance")
    parser.add_argument("--keep", metavar="DIRECTORY", help="work there, and keep its build for the next time")
    parser.add_argument("--list", action="store_true", help="only print what would be planted")
    options = parser.parse_args()
    options.count = int(options.what.pop()) if options.what and options.what[-1].isdigit() else 100
    return options


def plant_all(scratch, found, options):
    start = time.monotonic()
    scratch.copy()
    faults = dict(enumerate(found[: options.count]))
    targets = ["all"] if not options.quick else ["cases_test", *{f"{name}_test" for name in unit_rooms(scratch)}]
    scratch.build_with(faults, targets)
    say(f"== built with {len(faults)} faults: {time.monotonic() - start:.0f} s")
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool, tempfile.TemporaryDirectory() as notes:
        judge = Judge(scratch, pool)
        judge.watch_all(list(tests_of(scratch, options.quick)), notes)
        say(f"== {len(judge.seconds)} tests without a fault: {time.monotonic() - start:.0f} s")
        start = time.monotonic()
        caught = 0
        for number, fault in faults.items():
            noticed_by = judge.judge(number, fault)
            caught += bool(noticed_by)
            said = f"  [{noticed_by}]" if noticed_by else "  [no test gets there]" if noticed_by is None else ""
            print(f"{'caught' if noticed_by else 'SURVIVED'} {fault.path}:{fault.line}: {words_of(fault)}{said}", flush=True)
    say(f"== judged: {time.monotonic() - start:.0f} s")
    print(f"caught {caught} of {len(faults)} (seed {options.seed})")


def unit_rooms(scratch):
    """The rooms with a program of unit tests, but cli, whose tests take longest."""
    folders = os.listdir(os.path.join(scratch.root, "tests"))
    return [name for name in folders if os.path.isdir(os.path.join(scratch.root, "src", name))]


def main():
    options = arguments()
    faults = in_random_order(sources_below(options.what), random.Random(options.seed))
    say(f"== seed {options.seed}; {len(faults)} statements could be faulty")
    if options.list:
        for fault in faults[: options.count]:
            print(f"{fault.path}:{fault.line}: {words_of(fault)}")
        return
    # Also where a shell has started this in the background, with Ctrl-C ignored.
    for end in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(end, lambda number, _: sys.exit(128 + number))
    scratch = Scratch(options.keep or tempfile.mkdtemp(prefix="trainctl-mutate-"))
    say(f"== works in {scratch.root}")
    try:
        plant_all(scratch, faults, options)
    finally:
        scratch.stop_all()
        if not options.keep:
            shutil.rmtree(scratch.root, ignore_errors=True)


if __name__ == "__main__":
    main()
