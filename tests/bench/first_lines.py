"""first_lines.py [OPTION]… NAMESPACE SERVER FOLDER TRAINCTL KUBECTL: the first lines of all replicas on a real node.

Submits a job of --replicas replicas that print once a second, waits until all run, and follows them in turns, --rounds
times, with one curl (all streams on one connection of HTTP/2; FOLDER holds its files ca, cert and key) and with
TRAINCTL; once with KUBECTL. It prints the time until each replica's first line was there, the median of the rounds. With
--limits it fails when trainctl takes more than three times as long as curl.
"""

import argparse
import os
import pathlib
import select
import statistics
import subprocess
import sys
from time import monotonic

JOB = "many"
IMAGE = "trainctl.test/busybox:1"
LIMIT = 3
# A pod's host name is its own: each line says whose it is, whoever prints it.
PROGRAM = 'trap "exit 0" TERM; while :; do echo "$HOSTNAME"; sleep 1; done'


def submit(options):
    """Returns when every replica runs."""
    here = ["-n", options.namespace]
    subprocess.run([options.trainctl, "submit-tf", "--name", JOB, "--no-master", f"--workers={options.replicas}", "-i",
                    IMAGE, "--quiet", *here, "--command", "--", "sh", "-c", PROGRAM], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([options.trainctl, "wait", JOB, "--for=running", "--quiet", *here], check=True)
    subprocess.run([options.kubectl, "wait", "--for=condition=Ready", "pods", "--timeout=300s", "--selector",
                    f"training.kubeflow.org/job-name={JOB}", *here], check=True, stdout=subprocess.DEVNULL)


def words_of(options):
    log = f"{options.server}/api/v1/namespaces/{options.namespace}/pods/{JOB}-worker-%d/log?follow=true"
    folder = options.folder
    return {
        "curl": ["curl", "--silent", "--no-buffer", "--http2", "--parallel", "--parallel-max", str(options.replicas),
                 "--cacert", folder / "ca", "--cert", folder / "cert", "--key", folder / "key",
                 *(log % number for number in range(options.replicas))],
        "trainctl": [options.trainctl, "logs", "-f", "--all", f"tf/{JOB}", "-n", options.namespace],
        "kubectl": [options.kubectl, "logs", "-f", "--prefix", "--tail=-1", f"--max-log-requests={options.replicas}",
                    "--selector", f"training.kubeflow.org/job-name={JOB}", "-n", options.namespace]}


def seconds_to_all(words, options):
    """Until there is a line of each replica; what has not come by the end of the patience counts as long."""
    begin = monotonic()
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    seen, rest = set(), b""
    while len(seen) < options.replicas:
        ready, _, _ = select.select([child.stdout], [], [], max(0, begin + options.patience - monotonic()))
        data = os.read(child.stdout.fileno(), 1 << 20) if ready else b""
        if not data:
            break
        *lines, rest = (rest + data).split(b"\n")
        seen.update(line.rsplit(b" ", 1)[-1] for line in lines)
    took = monotonic() - begin
    child.kill()
    child.wait()
    if len(seen) < options.replicas:
        print(f"first lines: {words[0]} has shown {len(seen)} of {options.replicas} replicas", file=sys.stderr)
        return options.patience
    return took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--replicas", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--patience", type=float, default=60)
    parser.add_argument("--limits", action="store_true")
    parser.add_argument("namespace")
    parser.add_argument("server")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("trainctl")
    parser.add_argument("kubectl")
    options = parser.parse_args()
    submit(options)
    words = words_of(options)
    times = {"curl": [], "trainctl": []}
    for _ in range(options.rounds):
        for program, taken in times.items():
            taken.append(seconds_to_all(words[program], options))
    times["kubectl"] = [seconds_to_all(words["kubectl"], options)]
    subprocess.run([options.trainctl, "delete", JOB, "--wait", "-n", options.namespace], check=True, stdout=subprocess.DEVNULL)

    curl = statistics.median(times["curl"])
    print(f"first lines of {options.replicas} replicas on one node\nprogram    all begun  of curl's")
    for program, taken in times.items():
        median = statistics.median(taken)
        print(f"{program:9} {median:8.3f} s {median / curl:9.1f}   ({', '.join(f'{one:.3f}' for one in sorted(taken))})")
    ratio = statistics.median(times["trainctl"]) / curl
    if options.limits and ratio > LIMIT:
        sys.exit(f"first lines: trainctl takes {ratio:.1f} times as long as curl, the limit is {LIMIT}")


main()
