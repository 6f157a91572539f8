"""The scripted API server of a case: exchanges as data, a log of all that came."""
import asyncio
import base64
import dataclasses
import fnmatch
import gzip
import json
import time
import urllib.parse

from httpd.connection import Site
from harness.objects import default_answer


@dataclasses.dataclass
class Seen:
    """One request as it arrived."""

    method: str
    path: str  # without query, decoded
    query: list
    headers: list
    body: bytes
    protocol: str
    sni: str
    peer: str
    connection: int
    time: float

    def values(self, name):
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def __str__(self):
        query = "?" + "&".join(f"{k}={v}" for k, v in self.query) if self.query else ""
        return f"{self.method} {self.path}{query}"


def split_request(text):
    """ "GET /path?a=b" to method, decoded path and pairs; a method of * is any."""
    method, _, target = text.partition(" ") if not text.startswith("/") else ("GET", "", text)
    path, _, query = target.partition("?")
    return method, urllib.parse.unquote(path), urllib.parse.parse_qsl(query, keep_blank_values=True)


def matches(text, seen):
    """Equal method and path (* stands for anything in it), each query pair present."""
    method, path, query = split_request(text)
    fits = method in ("*", seen.method) and fnmatch.fnmatchcase(seen.path, path)
    return fits and all(any(k == key and fnmatch.fnmatchcase(v, value) for k, v in seen.query) for key, value in query)


def carries(seen, headers):
    """Each of these headers, once, with a value of this pattern."""
    return all(len(seen.values(name)) == 1 and fnmatch.fnmatchcase(seen.values(name)[0], pattern) for name, pattern in headers.items())


def seconds(text):
    return float(str(text).removesuffix("s"))


def as_bytes(piece):
    if isinstance(piece, (dict, list)):
        return json.dumps(piece).encode() + b"\n"
    return piece if isinstance(piece, bytes) else str(piece).encode()


def blocks(one):
    """(wait, bytes) pairs of a piece, which waits once. Many times over it becomes blocks that are one object in memory."""
    if not (isinstance(one, dict) and "piece" in one):
        return [({}, as_bytes(one))]
    piece, times = as_bytes(one["piece"]), one.get("times", 1)
    in_block = max(1, 65536 // max(1, len(piece)))
    many, rest = divmod(times, in_block)
    found = [({}, block) for block in [piece * in_block] * many + [piece * rest] if block]
    return [(one, found[0][1]), *found[1:]] if found else [(one, b"")]


class ScriptedServer(Site):
    """Of several exchanges that match a request the first unused one answers, else the default cluster."""

    def __init__(self, changed, **options):
        super().__init__(self.answer, **options)
        self.exchanges = []
        self.changed = changed  # called when something was logged
        self.log = []
        self.gates = {}
        self.running = set()
        self.trouble = []

    def script(self, exchanges):
        """`left`: how many requests each may still answer; below zero: any number."""
        self.exchanges = [{**one, "left": -1 if one.get("repeat") else one.get("count", 1)} for one in exchanges]

    def gate(self, name):
        return self.gates.setdefault(name, asyncio.Event())

    def answer(self, stream):
        connection = stream.connection
        _, path, query = split_request(f"GET {stream.path}")
        seen = Seen(stream.method, path, query, stream.headers, stream.body, stream.version, connection.sni,
                    connection.peer, self.connections.index(connection), time.monotonic())
        self.log.append(seen)
        task = asyncio.get_running_loop().create_task(self.play(stream, seen, self.choose(seen)))
        self.running.add(task)
        task.add_done_callback(self.played)
        self.changed()

    def played(self, task):
        self.running.discard(task)
        if not task.cancelled() and task.exception():
            self.trouble.append(repr(task.exception()))

    def choose(self, seen):
        for exchange in self.exchanges:
            if exchange["left"] == 0 or not matches(exchange["request"], seen) or not carries(seen, exchange.get("with", {})):
                continue
            exchange["left"] -= 1
            return exchange
        return default_answer(seen)

    async def pause(self, step):
        """The part of a step that waits: `after` some time, `until` a gate is opened."""
        if "after" in step:
            await asyncio.sleep(seconds(step["after"]))
        if "until" in step:
            await self.gate(step["until"]).wait()

    async def play(self, stream, seen, exchange):
        await self.pause(exchange)
        if stream.gone:
            return
        pieces = self.pieces(exchange)
        end = exchange.get("end", "clean")
        if exchange.get("goaway"):
            stream.leave()
        if pieces or end in ("clean", "never-ending"):
            headers = self.headers(exchange, pieces)
            stream.head(exchange.get("status", 200), headers)
            for wait, piece in pieces:
                await self.pause(wait)
                stream.data(piece)
                while stream.is_full and not stream.gone:
                    await asyncio.sleep(0.002)
        if "end-after" in exchange:
            await asyncio.sleep(seconds(exchange["end-after"]))
        if "end-until" in exchange:
            await self.gate(exchange["end-until"]).wait()
        self.finish(stream, end)

    @staticmethod
    def finish(stream, end):
        if stream.gone or end in ("never", "never-ending"):
            return
        if end == "clean":
            stream.end()
        elif end == "cut":
            stream.cut()
        elif end == "reset":
            stream.reset()
        elif end.startswith("refuse "):
            stream.refuse(end.split()[1])
        else:
            raise ValueError(f"end: {end}")

    @staticmethod
    def pieces(exchange):
        """(wait, bytes) pairs."""
        if "pieces" in exchange:
            pieces = [pair for one in exchange["pieces"] for pair in blocks(one)]
            return [({}, gzip.compress(b"".join(piece for _, piece in pieces)))] if exchange.get("gzip") else pieces
        if "events" in exchange:
            return [(one, as_bytes({"type": one["type"], "object": one["object"]})) for one in exchange["events"]]
        if "lines" in exchange:
            return [({}, as_bytes(line) + b"\n") for line in exchange["lines"]]
        if "base64" in exchange:
            return [({}, base64.b64decode(exchange["base64"]))]
        if "reply" in exchange:
            body = json.dumps(exchange["reply"]).encode()
        else:
            body = as_bytes(exchange.get("text", ""))
        body *= exchange.get("times", 1)
        return [({}, gzip.compress(body) if exchange.get("gzip") else body)] if body else []

    @staticmethod
    def headers(exchange, pieces):
        given = [(name, value) for name, values in exchange.get("headers", {}).items()
                 for value in (values if isinstance(values, list) else [values])]
        names = {name.lower() for name, _ in given}
        is_json = "reply" in exchange or "events" in exchange
        if "content-type" not in names:
            given.append(("content-type", "application/json" if is_json else "text/plain; charset=utf-8"))
        if exchange.get("gzip"):
            given.append(("content-encoding", "gzip"))
        whole = not any(key in exchange for key in ("pieces", "events", "lines", "end"))
        if whole and "content-length" not in names:
            given.append(("content-length", str(sum(len(piece) for _, piece in pieces))))
        return given

    async def stop(self):
        for task in list(self.running):
            task.cancel()
        for connection in self.connections:
            connection.close()

    def unused(self):
        return [one["request"] for one in self.exchanges if one["left"] > 0]
