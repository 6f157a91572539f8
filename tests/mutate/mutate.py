"""Plants small faults, one at a time, in a copy of the tree, and says which of them no quick test notices."""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from faults import faults_of, words_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
JOBS = str(os.cpu_count() or 1)
EQUAL = os.path.join("tests", "mutate", "equal.txt")
# A fault must not be refused for its looks. This takes the place of a file's first line, which is a comment.
TOLERANT = " ".join(
    f'_Pragma("GCC diagnostic ignored \\"-W{name}\\"")'
    for name in ("parentheses", "unused-variable", "unused-but-set-variable", "unused-parameter", "unused-function", "type-limits")
)


def say(text):
    print(text, file=sys.stderr, flush=True)


def equal_faults():
    """What tests/mutate/equal.txt lists: pairs of a path and a fault's words."""
    with open(os.path.join(ROOT, EQUAL), encoding="utf-8") as file:
        return {tuple(line.rstrip().split(": ", 1)) for line in file if line.strip() and line[0] not in "# "}


def sources_below(paths):
    listed = subprocess.run(["git", "ls-files", "-z", "src", "cli"], cwd=ROOT, check=True, capture_output=True, text=True)
    files = [path for path in listed.stdout.split("\0") if path.endswith(".cpp") and os.path.exists(os.path.join(ROOT, path))]
    wanted = [path.rstrip("/") for path in paths] or ["src", "cli"]
    for path in wanted:
        if not any(file == path or file.startswith(path + "/") for file in files):
            sys.exit(f"error: no .cpp file of src/ or cli/ is below {path}")
    return [file for file in files if any(file == path or file.startswith(path + "/") for path in wanted)]


def in_random_order(files, choice):
    """Lines at random, and one fault of each, so that a line with many possible faults is not chosen more often."""
    equal = equal_faults()
    lines = []
    for path in files:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            lines += faults_of(path, file.read())
    choice.shuffle(lines)
    chosen = [choice.choice(line) for line in lines]
    return [fault for fault in chosen if (fault.path, words_of(fault)) not in equal]


def tests_of(path, quick):
    """What ctest calls the tests that belong to a file, by the program that has them; the most telling first."""
    room = path.split("/")[1]
    own = {} if path.startswith("cli/") else {f"{room}_test": rf"^{room}\."}
    if quick:
        return own | {"cases_test": r"^cases\."}
    connected = {"trainctl": r"^conformance\.h2$"} if room in ("net", "kube", "logs") else {}
    return own | connected | {"cases_test": r"^cases(\.|$)", "cli_test": r"^cli\."}


class Scratch:
    """A copy of the tree with a build of its own."""

    def __init__(self, directory):
        self.root = directory
        self.build = os.path.join(directory, "build", "dev")
        self.limits = {}  # seconds that the tests of a program may take
        self.child = None

    def run(self, command, limit=None):
        """The exit status and output; None for the status when it took too long."""
        self.child = subprocess.Popen(
            command, cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True)
        try:
            output, _ = self.child.communicate(timeout=limit)
            return self.child.returncode, output
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            self.stop()

    def stop(self):
        """Ends what the last command left running."""
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.child.wait()

    def copy(self):
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
        for path in filter(None, listed.stdout.split("\0")):
            source, target = os.path.join(ROOT, path), os.path.join(self.root, path)
            if not os.path.lexists(source):
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)

    def must(self, what, command):
        start = time.monotonic()
        status, output = self.run(command)
        if status != 0:
            sys.exit(f"error: cannot {what}, even without a fault:\n{output[-4000:]}")
        say(f"== {what}: {time.monotonic() - start:.1f} s")
        return time.monotonic() - start

    def build_command(self, target):
        return ["nice", "cmake", "--build", self.build, "--parallel", JOBS, "--target", target]

    def test_command(self, names):
        return ["nice", "ctest", "--test-dir", self.build, "--parallel", JOBS, "--stop-on-failure", "--no-tests=error", "-R", names]

    def prepare(self, tests):
        self.must("configure", ["cmake", "--preset", "dev"])
        for program, names in tests.items():
            self.must(f"build {program}", self.build_command(program))
            self.limits[program] = 30 + 3 * self.must(f"run {program}", self.test_command(names))

    def write(self, path, text):
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
            file.write(text)

    def judge(self, fault, tests):
        """The test that noticed the fault; "" when none did, None when it does not compile."""
        with open(os.path.join(self.root, fault.path), encoding="utf-8") as file:
            healthy = file.read()
        lines = healthy.split("\n")
        lines[0], lines[fault.line - 1] = TOLERANT, fault.after
        self.write(fault.path, "\n".join(lines))
        try:
            for program, names in tests.items():
                if self.run(self.build_command(program))[0] != 0:
                    return None
                status, output = self.run(self.test_command(names), self.limits[program])
                if status != 0:
                    return "took too long" if status is None else first_failure(output)
            return ""
        finally:
            self.write(fault.path, healthy)


def first_failure(output):
    """The name of a test that failed, as ctest lists it."""
    found = re.search(r"FAILED:\s+\d+ - (.*) \(", output)
    return found.group(1) if found else "ctest failed"


def arguments():
    parser = argparse.ArgumentParser(prog="script/mutate", description=__doc__)
    parser.add_argument("what", nargs="*", metavar="PATH|N", help="where to plant (src/status, cli, a file), and how many faults")
    parser.add_argument("--seed", type=int, default=random.randrange(1000000), help="repeats an earlier choice")
    parser.add_argument("--quick", action="store_true", help="leave out the slowest: cli_test, conformance, and what cases_test has beside golden cases")
    parser.add_argument("--keep", metavar="DIRECTORY", help="work there, and keep its build for the next time")
    parser.add_argument("--list", action="store_true", help="only print what would be planted")
    options = parser.parse_args()
    options.count = int(options.what.pop()) if options.what and options.what[-1].isdigit() else 20
    return options


def plant_all(scratch, faults, options):
    scratch.copy()
    tests = {}
    for fault in faults[: options.count]:
        tests |= tests_of(fault.path, options.quick)
    scratch.prepare(tests)
    planted = caught = 0
    for fault in faults:
        if planted == options.count:
            break
        tests = tests_of(fault.path, options.quick)
        if not tests.keys() <= scratch.limits.keys():
            continue  # takes the place of one that does not compile, but in another room
        say(f"-- {planted + 1} of {options.count}: {fault.path}:{fault.line}: {words_of(fault)}")
        found = scratch.judge(fault, tests)
        if found is None:
            say("   does not compile; another takes its place")
            continue
        planted += 1
        caught += found != ""
        print(f"{'caught' if found else 'SURVIVED'} {fault.path}:{fault.line}: {words_of(fault)}{f'  [{found}]' if found else ''}", flush=True)
    print(f"caught {caught} of {planted} (seed {options.seed})")


def main():
    options = arguments()
    faults = in_random_order(sources_below(options.what), random.Random(options.seed))
    say(f"== seed {options.seed}; {len(faults)} lines could be faulty")
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
        if not options.keep:
            shutil.rmtree(scratch.root, ignore_errors=True)


if __name__ == "__main__":
    main()
