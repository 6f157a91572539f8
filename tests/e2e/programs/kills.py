"""kills.py N [SEED]: kills the embedded cluster's daemon N times at random moments while jobs are submitted, run and
followed, then checks that every job is there with its verdict, and every line of every replica once and in order."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

FOLLOWERS = 3
LOCK = os.path.join(os.environ["XDG_STATE_HOME"], "trainctl/local/daemon.lock")
SCRIPT = """i=0; while [ $i -lt %d ]; do i=$((i+1)); echo "line $i"; if [ $((i %% 9)) = 0 ]; then sleep 0.1; fi; done
if [ "$RANK" = 0 ]; then sleep 1; exit %d; fi"""


class Load:
    """Submits and follows one job after the other; what went wrong is a complaint."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.jobs = {}  # name → what is expected of it
        self.refused = set()
        self.complaints = []
        self.stopping = threading.Event()

    def complain(self, text):
        with self.lock:
            self.complaints.append(text)
        print(f"FAILED: {text}", file=sys.stderr, flush=True)

    def next_job(self):
        with self.lock:
            name = f"job-{len(self.jobs) + 1}"
            workers = self.random.randint(0, 2)
            code = self.random.choice((0, 0, 5))
            job = {"replicas": ["master-0"] + [f"worker-{n}" for n in range(workers)], "code": code,
                   "lines": self.random.randint(20, 250), "follows": self.random.random() < 0.8}
            self.jobs[name] = job
        return name, job

    def work(self):
        while not self.stopping.is_set():
            name, job = self.next_job()
            follow = ["--follow", "--all", "--prefix=always"] if job["follows"] else []
            words = ["submit-pytorch", "--local", "--name", name, f"--workers={len(job['replicas']) - 1}", "--restart-policy", "Never",
                     "--clean-pod-policy", "None", *follow, "--", "sh", "-c", SCRIPT % (job["lines"], job["code"])]
            done = run(words)
            if done.returncode == 8 and f"{name} created" not in done.stderr:
                # Every one of its tries was cut off, and it says so: that is no loss.
                self.refused.add(name)
            elif job["follows"]:
                self.check_followed(name, job, done)
            elif done.returncode != 0:
                self.complain(f"submit of {name}: exit status {done.returncode}\n{done.stderr}")

    def check_followed(self, name, job, done):
        expected = 3 if job["code"] else 0
        if done.returncode != expected:
            self.complain(f"follow of {name}: exit status {done.returncode}, expected {expected}\n{done.stderr}")
        for replica in job["replicas"]:
            got = [line.split("] ", 1)[1] for line in done.stdout.splitlines() if line.startswith(f"[{replica}] ")]
            self.check_lines(f"followed output of {name}/{replica}", job, got, done.stderr)

    def check_lines(self, what, job, got, talk=""):
        expected = [f"line {number}" for number in range(1, job["lines"] + 1)]
        if got != expected:
            missing = [line for line in expected if line not in set(got)]
            self.complain(f"{what}: {len(got)} lines, expected {len(expected)}; missing {missing[:5]}; last {got[-2:]}\n{talk}")

    def check_kept(self):
        """Verdict and log of every job, when all is over."""
        listed = json.loads(run(["get", "--local", "-o", "json"]).stdout or "{}")
        phases = {item["name"]: item["phase"] for item in listed.get("items", [])}
        for name in self.refused:
            self.jobs.pop(name)
        for name, job in self.jobs.items():
            expected = "Failed" if job["code"] else "Succeeded"
            if phases.get(name) != expected:
                self.complain(f"{name} is {phases.get(name)}, expected {expected}")
            for replica in job["replicas"]:
                done = run(["logs", "--local", f"{name}/{replica}"])
                self.check_lines(f"kept log of {name}/{replica} (exit status {done.returncode})", job, done.stdout.splitlines())


def run(words):
    """What the command said; one that takes minutes counts as killed by us."""
    process = subprocess.Popen(["trainctl", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, errors="replace")
    try:
        out, err = process.communicate(timeout=180)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def daemon():
    """The pid of the daemon that lives now: the lock's file may still name one that is dead, whose pid may be another's."""
    try:
        with open(LOCK, encoding="utf-8") as file:
            pid = int(file.readline())
        with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
            return pid if "serve" in file.read().split("\0") else None
    except (OSError, ValueError):
        return None


def kill_often(count, chance):
    """Kills count daemons; how long it took for each new one to come up, in seconds."""
    gaps = []
    last_death = None
    while len(gaps) < count:
        pid = daemon()
        if pid is None:
            if last_death and time.monotonic() - last_death > 60:
                subprocess.run("ps -eo pid,ppid,stat,etimes,wchan:24,args | grep -v grep | grep trainctl", shell=True, check=False)
                sys.exit("FAILED: no new daemon for a minute")
            time.sleep(0.002)
            continue
        gaps.append(time.monotonic() - last_death if last_death else 0)
        # Now and then just after the start, in the midst of taking up what the last one left.
        time.sleep(chance.choice((chance.uniform(0, 0.1), chance.uniform(0, 1), chance.uniform(0, 1), chance.uniform(0, 2))))
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            gaps.pop()
            continue
        last_death = time.monotonic()
        if len(gaps) % 50 == 0:
            print(f"{len(gaps)} kills", file=sys.stderr, flush=True)
    return gaps


def main():
    count = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    load = Load(seed)
    threads = [threading.Thread(target=load.work, daemon=True) for _ in range(FOLLOWERS)]
    for thread in threads:
        thread.start()
    gaps = kill_often(count, random.Random(seed + 1))
    load.stopping.set()
    for thread in threads:
        thread.join()
    for name in set(load.jobs) - load.refused:
        if not load.jobs[name]["follows"]:  # it may still run
            run(["wait", "--local", name, "--timeout", "60s"])
    load.check_kept()
    lines = sum(job["lines"] * len(job["replicas"]) for job in load.jobs.values())
    gaps.sort()
    print(f"seed {seed}: {count} kills, {len(load.jobs)} jobs ({len(load.refused)} more refused), {sum(len(job['replicas']) for job in load.jobs.values())} replicas, {lines} lines, "
          f"{len(load.complaints)} complaints; a new daemon after {gaps[len(gaps) // 2]:.2f} s (median), {gaps[-1]:.2f} s (longest)")
    return 1 if load.complaints else 0


sys.exit(main())
