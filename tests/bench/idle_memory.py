"""idle_memory.py [--jobs N,M…] [--limit MIB] [--growth MIB] TRAINCTL: what the embedded cluster's daemon keeps when idle.

Starts a daemon in folders of its own, has the given numbers of jobs finished (0,16,100), and prints after each how much
memory is resident once nobody has been connected for a while. Fails when more than --limit is resident (meant for a
release build), or when what no file stands behind has grown by more than --growth since the start (in any build).
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

AT_ONCE = 8
PATIENCE = 40  # seconds, for a daemon that looks every five whether nobody has come for half a minute


def memory_of(pid):
    """MiB: resident, this process's share of it, and what no file stands behind."""
    fields = {}
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        for line in list(file)[1:]:
            name, value = line.split()[:2]
            fields[name.rstrip(":")] = int(value) / 1024
    return fields["Rss"], fields["Pss"], fields["Anonymous"]


def at_rest(pid):
    """The memory after the daemon has begun to rest: it gives back on its own more than once, so the end counts."""
    time.sleep(PATIENCE)
    return memory_of(pid)


def own_environment(folder):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KUBE", "TRAINCTL"))}
    for variable, place in (("HOME", "home"), ("XDG_STATE_HOME", "state"), ("XDG_RUNTIME_DIR", "run"),
                            ("XDG_CONFIG_HOME", "config")):
        environment[variable] = os.path.join(folder, place)
        os.mkdir(environment[variable], 0o700)
    return environment


class Cluster:
    def __init__(self, program, folder):
        self.program = os.path.realpath(program)
        self.environment = own_environment(folder)
        self.folder = folder
        self.finished = 0
        self.trainctl("local", "up", "--idle", "10m")
        with open(os.path.join(folder, "state/trainctl/local/daemon.lock"), encoding="ascii") as file:
            self.pid = int(file.read().split()[0])

    def trainctl(self, *words):
        subprocess.run([self.program, *words], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=True)

    def finish_jobs(self, total):
        """A master and a worker each."""
        with ThreadPoolExecutor(AT_ONCE) as threads:
            for done in [threads.submit(self.trainctl, "submit-pytorch", "--local", "--name", f"job-{number}",
                                        "--workers=1", "--wait", "--", "true")
                         for number in range(self.finished, total)]:
                done.result()
        self.finished = total


def broken_limits(jobs, memory, start, given):
    grown = memory[2] - start[2]
    if memory[0] > given.limit:
        yield f"{jobs} finished jobs: {memory[0]:.1f} MiB resident, the limit is {given.limit:.1f}"
    if grown > given.growth:
        yield f"{jobs} finished jobs: {grown:.1f} MiB more than at the start, the limit is {given.growth:.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", default="0,16,100")
    parser.add_argument("--limit", type=float, default=float("inf"))
    parser.add_argument("--growth", type=float, default=float("inf"))
    parser.add_argument("trainctl")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and the daemon ends, too

    broken = []
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(given.trainctl, folder)
        try:
            start = memory_of(cluster.pid)
            print(f"{'idle daemon':16} {'RSS':>9} {'PSS':>9} {'anonymous':>10}")
            for jobs in map(int, given.jobs.split(",")):
                cluster.finish_jobs(jobs)
                memory = at_rest(cluster.pid) if jobs else start
                print(f"{jobs:4} jobs kept   " + " ".join(f"{part:5.1f} MiB" for part in memory), flush=True)
                broken += broken_limits(jobs, memory, start, given)
        finally:
            cluster.trainctl("local", "down")
    for complaint in broken:
        print(complaint, file=sys.stderr)
    sys.exit(1 if broken else 0)


main()
