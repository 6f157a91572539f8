"""Runs one case: its machine, its command lines, its steps meanwhile, its expectations."""
import asyncio
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import tty

from harness.expect import complaints
from harness.server import matches
from harness.world import World

MEASURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "measure.py")
PATIENCE = 300  # seconds until a command counts as hanging

MOUNTED = """mount -t tmpfs none /var/run/ && mkdir -p /var/run/secrets/kubernetes.io &&
ln -s "$0" /var/run/secrets/kubernetes.io/serviceaccount && exec "$@" """


class Run:
    """One command line under way; its output grows while it runs."""

    def __init__(self, world, program, spec):
        self.world = world
        self.stdout = self.stderr = b""
        self.stdout_size = 0
        self.keeps_stdout = not spec.get("count-stdout")
        self.pipes = {}
        self.ended = set()
        self.status = None
        self.terminal = None
        self.left_open = False
        words = shlex.split(world.expand(spec["run"]))
        first = words.index("trainctl") if "trainctl" in words else -1
        argv = [program if place == first else word for place, word in enumerate(words)]
        if spec.get("service-account"):
            argv = ["unshare", *([] if os.getuid() == 0 else ["-r"]), "-m", "sh", "-c", MOUNTED, world.names["account"], *argv]
        self.peak_file = os.path.join(world.folder, "peak") if "memory" in (spec.get("expect") or {}) else None
        if self.peak_file:
            argv = [sys.executable, "-I", "-S", MEASURE, self.peak_file, *argv]
        stdin = subprocess.DEVNULL
        if spec.get("terminal"):
            self.terminal, stdin = pty.openpty()
            tty.setraw(stdin)
        environment = {"HOME": world.names["home"], "PATH": world.names["bin"] + ":/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        environment.update({name: str(value) for name, value in world.expand(spec.get("env") or {}).items()})
        environment = {name: value for name, value in environment.items() if value != "<unset>"}
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            argv, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=world.path(spec.get("cwd", "<work>")),
            env=environment, start_new_session=True)
        if self.terminal:
            os.close(stdin)

    async def read(self, pipe, name):
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        self.pipes[name], _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        while data := await reader.read(65536):
            if name == "stdout":
                self.stdout_size += len(data)
            if name == "stderr" or self.keeps_stdout:
                setattr(self, name, getattr(self, name) + data)
            self.world.changed()
        self.ended.add(name)
        self.world.changed()

    async def wait(self):
        process = self.process
        outputs = asyncio.gather(self.read(process.stdout, "stdout"), self.read(process.stderr, "stderr"))
        _, status = await asyncio.to_thread(os.waitpid, process.pid, 0)
        code = process.returncode = os.waitstatus_to_exitcode(status)
        self.status = code if code >= 0 else 128 - code  # as a shell reports it
        self.world.changed()
        try:  # a child left behind keeps them open
            await asyncio.wait_for(outputs, 5)
        except asyncio.TimeoutError:
            self.left_open = True
        if self.terminal:
            os.close(self.terminal)

    def peak(self):
        """MiB of memory."""
        with open(self.peak_file, encoding="utf-8") as file:
            return int(file.read()) // 1024

    def kill(self):
        if self.status is None:
            os.killpg(self.process.pid, signal.SIGKILL)


async def step(world, run, one):
    """Waits for what the step names, then does what it says."""
    server = world.servers.get(one.get("server", "api"))
    if "request" in one:
        await world.until(lambda: sum(matches(one["request"], seen) for seen in server.log) >= one.get("times", 1))
    if "plugin" in one:
        await world.until(lambda: len(world.plugins[one["plugin"]].runs()) >= one.get("times", 1))
    for name in ("stdout", "stderr"):
        if name in one:
            pattern = re.compile(one[name].encode(), re.MULTILINE)
            times = one.get("times", 1)
            await world.until(lambda name=name, pattern=pattern: len(pattern.findall(getattr(run, name))) >= times)
    if "remove" in one:
        os.unlink(world.path(one["remove"]))
    for path, content in (one.get("write") or {}).items():
        world.write(path, content)
    if "certificate" in one:
        server.context = world.context(server.options, one["certificate"])
    if "close" in one:  # nobody reads it any more
        run.pipes[one["close"]].close()
        await world.until(lambda: one["close"] in run.ended)
    if "open" in one:
        server.gate(one["open"]).set()
    if one.get("drop"):  # all connections there are
        for connection in server.connections:
            if connection.open:
                getattr(connection, one["drop"])()
    if one.get("mute"):  # all connections there are
        for connection in server.connections:
            connection.mute()
    if "refuse" in one:  # no further connections
        server.listener.close()
    if "signal" in one:
        run.process.send_signal(getattr(signal, "SIG" + one["signal"]))


async def run_once(world, program, spec):
    run = Run(world, program, spec)
    finished = asyncio.ensure_future(run.wait())

    async def steps():
        for one in spec.get("meanwhile") or []:
            await step(world, run, one)

    meanwhile = asyncio.ensure_future(steps())
    problems = []
    done, _ = await asyncio.wait([finished], timeout=spec.get("patience", PATIENCE))
    if not done:
        problems.append(f"still ran after {spec.get('patience', PATIENCE)} s")
        run.kill()
        await finished
    if run.left_open:
        problems.append("a process that it started lives on and holds its output open")
    if not meanwhile.done():
        meanwhile.cancel()
        problems.append("ended before all its steps were reached")
    elif meanwhile.exception():
        problems.append(f"a step failed: {meanwhile.exception()!r}")
    return run, problems


async def prepare(world, line):
    """Runs a command line, which must succeed."""
    run = Run(world, "", {"run": line})
    await run.wait()
    if run.status != 0:
        raise RuntimeError(f"{line}: {run.stderr.decode(errors='replace')}")


async def run_case(case, program, certificates, folder, protocol):
    """What went wrong, as lines; none when the case holds."""
    world = World(case, folder, certificates, protocol)
    problems, runs = [], []
    try:
        await world.start()
        for line in case.get("prepare") or []:
            await prepare(world, line)
        for spec in case.get("runs") or [case]:
            run, hung = await run_once(world, program, spec)
            runs.append(run)
            problems += hung + complaints(world, run, spec.get("expect") or {}, spec is case)
        if "runs" in case:
            problems += complaints(world, None, case.get("expect") or {}, True)
        for server in world.servers.values():
            problems += server.trouble
        if problems:
            problems += evidence(world, runs)
    finally:
        await world.stop()
    return problems


def evidence(world, runs):
    lines = []
    for run in runs:
        lines.append(f"  exit {run.status}: {' '.join(run.process.args[:1] and run.process.args[1:])}")
        for name in ("stdout", "stderr"):
            text = getattr(run, name).decode(errors="replace")
            lines += [f"  {name}: {line[:400]}" for line in text.splitlines()[:20]]
    for name, server in world.servers.items():
        failed = [connection.failure for connection in server.connections if connection.failure]
        lines.append(f"  {name}: {len(server.connections)} connections" + (f", failed: {failed}" if failed else ""))
        lines += [f"  {name}: #{seen.connection} {seen} {seen.headers}"[:600] for seen in server.log[:30]]
    for name, proxy in world.proxies.items():
        lines += [f"  {name}: {entry}" for entry in proxy.log]
    for name, plugin in world.plugins.items():
        lines.append(f"  plugin {name}: {len(plugin.runs())} runs")
    return lines
