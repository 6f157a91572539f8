"""signals.py TRAINCTL ROUNDS: sends SIGTERM or SIGINT to commands at random moments; each must end with that signal's
status, and what --on-interrupt=cancel has created must be gone. Prints one line for each signal that was lost."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

TRAINCTL, ROUNDS = sys.argv[1], int(sys.argv[2])
SUBMIT = ["submit-pytorch", "--local", "--name"]
SLEEP = ["--", "sleep", "60"]
DATA, COPY = os.path.abspath("data"), os.path.abspath("copy")
COMMANDS = {
    "wait": lambda name: [*SUBMIT, name, "--workers=1", "--wait", *SLEEP],
    "follow": lambda name: [*SUBMIT, name, "--follow", *SLEEP],
    "cancel": lambda name: [*SUBMIT, name, "--follow", "--on-interrupt=cancel", *SLEEP],
    "array": lambda name: [*SUBMIT, name, "--array", "t=60,61", "--wait", "--on-interrupt=cancel", "--", "sleep", "{t}"],
    "leave": lambda name: [*SUBMIT, name, *SLEEP],
    "rerun": lambda name: ["rerun", "--local", "base", "--name", name, "--follow", "--on-interrupt=cancel"],
    "dev": lambda name: ["dev", "--local", "--name", name, *SLEEP],
    "logs": lambda name: ["logs", "--local", "-f", "base"],
    "wait-for": lambda name: ["wait", "--local", "base"],
    "cp": lambda name: ["cp", "--local", f"base:{DATA}/large", COPY],
    "fetch": lambda name: ["fetch", "--local", f"base:{DATA}/large", COPY],
}


def trainctl(*words):
    return subprocess.run([TRAINCTL, *words], capture_output=True, text=True, check=False)


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)


def lost(kind, name):
    number = random.choice([signal.SIGTERM, signal.SIGINT])
    process = subprocess.Popen([TRAINCTL, *COMMANDS[kind](name)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    delay = random.uniform(0, 0.3)
    time.sleep(delay)
    process.send_signal(number)
    try:
        words = process.communicate(timeout=50)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        return f"{kind}: still runs after {number.name} at {delay:.3f} s: {process.communicate()[1]}"
    # A job that is only left in the cluster may have been left before the signal came, a copy may have ended.
    ends = {128 + number, -number} | ({0} if kind in ("leave", "cp", "fetch") else set())
    if process.returncode not in ends:
        return f"{kind}: status {process.returncode} after {number.name} at {delay:.3f} s: {words}"
    if kind in ("cancel", "rerun", "dev") and trainctl("get", "--local", name).returncode == 0:
        return f"{kind}: the job stays after {number.name} at {delay:.3f} s: {words}"
    if kind == "array" and name in trainctl("get", "--local", "-o", "name").stdout:
        return f"{kind}: jobs stay after {number.name} at {delay:.3f} s: {words}"
    return ""


trainctl(*SUBMIT, "base", f"--pvc=data:{DATA}", "--", "sh", "-c", f"head -c 100000000 /dev/zero >{DATA}/large; sleep 3000")
trainctl("wait", "--local", "base", "--for=running")
told = []
for turn in range(ROUNDS):
    for kind in COMMANDS:
        told.append(lost(kind, f"{kind}{turn}"))
        trainctl("delete", "--local", "--ignore-not-found", f"{kind}{turn}")
        remove(COPY)
failures = [line for line in told if line]
print(*failures, f"{len(failures)} of {len(told)} signals lost", sep="\n")
sys.exit(bool(failures))
