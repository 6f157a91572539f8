"""many_logs.py [OPTION]… SERVER PROGRAM…: follows all logs of a job of 1000 replicas with each program.

SERVER is many_logs.go, built; --streams and --delay are its own, --http1 takes HTTP/2 from it. With --pki DIR, the
folder of the cluster's certificates, it is kwok, and the logs come through the API server of $KUBECONFIG.
Each PROGRAM is a path of trainctl or kubectl. It prints the connections of each, the time until it had a line of every replica
(or of the last it got in --patience seconds), its peak memory, and its CPU time per line during the --seconds after
that. With --limits the first program fails where it is above what the project promises, or above its share of the
second's.
"""

import argparse
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
from time import monotonic, sleep

from kwok_job import NAMESPACE, KwokJob
from many_job import write_objects


class FakeServer:
    """many_logs.go while the context lasts."""

    def __init__(self, options, folder):
        self.folder = folder
        self.words = [options.server, folder, str(options.streams), options.delay,
                      *(["http/1.1"] if options.http1 else [])]
        self.process = None

    def __enter__(self):
        key, certificate = self.folder / "key.pem", self.folder / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
                        "-days", "30", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True,
                       stderr=subprocess.DEVNULL)
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE)
        port = int(self.process.stdout.readline())
        cluster = {"server": f"https://127.0.0.1:{port}", "certificate-authority": str(certificate)}
        (self.folder / "kubeconfig").write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "preferences": {},
            "clusters": [{"name": "many", "cluster": cluster}], "users": [{"name": "me", "user": {"token": "any"}}],
            "contexts": [{"name": "many", "context": {"cluster": "many", "user": "me"}}], "current-context": "many"}),
            encoding="utf-8")
        os.environ["KUBECONFIG"] = str(self.folder / "kubeconfig")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def handshake():
    """Seconds of one TCP connection with TLS, the best of some."""
    view = json.loads(subprocess.run(["kubectl", "config", "view", "--raw", "--minify", "-o", "json"], check=True,
                                     stdout=subprocess.PIPE).stdout)
    host, port = view["clusters"][0]["cluster"]["server"].removeprefix("https://").split(":")
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    times = []
    for _ in range(5):
        start = monotonic()
        with context.wrap_socket(socket.create_connection((host, int(port)))):
            times.append(monotonic() - start)
    return min(times)


def connections(pid):
    """How many TCP connections the process has open."""
    folder = f"/proc/{pid}/fd"
    sockets = {os.readlink(f"{folder}/{name}") for name in os.listdir(folder)}
    with open(f"/proc/{pid}/net/tcp", encoding="ascii") as file:
        rows = [line.split() for line in file][1:]
    established = "01"
    return sum(row[3] == established and f"socket:[{row[9]}]" in sockets for row in rows)


def words_of(program, options, folder):
    here = ["--namespace", NAMESPACE if options.pki else "default"]
    if os.path.basename(program) == "kubectl":
        return [program, "logs", "-f", "--prefix", "--tail=-1", "-l", "training.kubeflow.org/job-name=ddp",
                f"--max-log-requests={options.replicas}", "--cache-dir", str(folder / "cache"), *here]
    return [program, "logs", "-f", "--all", "pytorch/ddp", *here]


def memory_peak(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024


def cpu_time(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Reader(threading.Thread):
    """Takes a program's lines; knows when each replica's first one came."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream = stream
        self.firsts = {}
        self.lines = 0
        self.start()

    def run(self):
        rest = b""
        while data := os.read(self.stream.fileno(), 1 << 20):
            now = monotonic()
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self.lines += 1
                if line.startswith(b"["):
                    self.firsts.setdefault(line.split(b"]", 1)[0], now)


def measure(program, options, folder):
    begin = monotonic()
    child = subprocess.Popen(words_of(program, options, folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
    reader = Reader(child.stdout)
    while len(reader.firsts) < options.replicas and monotonic() < begin + options.patience and child.poll() is None:
        sleep(0.05)
    if child.poll() is not None:
        sys.exit(f"many logs: {program} ended with status {child.returncode}")
    cpu, lines = cpu_time(child.pid), reader.lines
    sleep(options.seconds)
    result = {"connections": connections(child.pid), "replicas": len(reader.firsts),
              "first": max(reader.firsts.values(), default=begin) - begin, "peak": memory_peak(child.pid),
              "line": (cpu_time(child.pid) - cpu) / max(1, reader.lines - lines)}
    child.send_signal(signal.SIGINT)
    child.wait(10)
    print(f"| {os.path.basename(program)} | {result['replicas']:,} | {result['connections']} | {result['first']:.2f} s"
          f" | {result['peak']:.1f} MiB | {result['line'] * 1e6:.1f} µs |", flush=True)
    return result


def broken_limits(ours, theirs, options):
    """kubectl asks for five logs a second, so that its patience is over before it has all."""
    checks = [("logs that came are", -ours["replicas"], -options.replicas), ("connections are", ours["connections"], 12),
              ("MiB at the peak are", ours["peak"], 40),
              ("seconds until the last first line are", ours["first"], theirs["first"] / 4),
              ("seconds of CPU per line are", ours["line"], theirs["line"] / 2)]
    return [f"many logs: {what} {abs(value):.3g}, the limit is {abs(limit):.3g}" for what, value, limit in checks
            if value > limit]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--replicas", type=int, default=1000)
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--delay", default="0s")
    parser.add_argument("--http1", action="store_true")
    parser.add_argument("--pki")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--patience", type=float, default=30)
    parser.add_argument("--limits", action="store_true")
    parser.add_argument("server")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_objects(folder, options.replicas)
        cluster = KwokJob(options.server, options.pki, options.replicas, folder) if options.pki else FakeServer(options, folder)
        with cluster:
            print(f"{options.replicas} logs followed{' on the real API server' if options.pki else ''}, handshake"
                  f" {handshake() * 1000:.1f} ms.\n\n"
                  f"| Program | Logs | Connections | All begun | Peak memory | CPU for each line |\n"
                  f"|---|---|---|---|---|---|", flush=True)
            results = [measure(program, options, folder) for program in options.programs]
    broken = broken_limits(results[0], results[1], options) if options.limits else []
    for complaint in broken:
        print(complaint, file=sys.stderr)
    sys.exit(1 if broken else 0)


main()
