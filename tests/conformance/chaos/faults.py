"""What goes wrong, when, and how it looks on the wire; one fault is one cut of one replica's share."""
import asyncio
import collections
import contextlib
import json
import time

ON_REQUEST = ("500", "502", "503", "503 later", "429", "429 later", "401", "node")
ON_STREAM = ("reset", "close", "half-close", "goaway", "stream", "chunk", "clean", "clean", "stall", "rotate",
             "restart")
ON_CONNECTION = ("reset", "close", "half-close", "goaway")
BREATH = 1  # second between two cuts that end other answers, too
LIFE = 5  # seconds that a token is good at least
GLUED = b"failed to create fsnotify watcher: too many open files"


class Faults:
    def __init__(self, cluster, chance):
        self.cluster = cluster
        self.chance = chance
        self.done = collections.Counter()  # cuts by kind
        self.expired = 0  # watches
        self.cut_all_at = 0.0  # when a cut last ended other answers too
        self.token = 1  # the oldest that is still good
        self.newest = 0  # that anybody has shown
        self.shown = 0.0  # when it was, first

    def knows(self, authorization):
        number = authorization.removeprefix("Bearer t")
        if not number.isdigit():
            return False
        if int(number) > self.newest:
            self.newest, self.shown = int(number), time.monotonic()
        return int(number) >= self.token

    def withdraw(self):
        """The next one that the plugin gives is good."""
        self.token = self.newest + 1

    def may_cut_all(self):
        """Not so often that no other answer gets through."""
        now = time.monotonic()
        if now < self.cut_all_at + BREATH:
            return False
        self.cut_all_at = now
        return True

    def forgets(self):
        """The server has dropped the changes a watch wants to go on from: everything is to be listed again."""
        forgets = self.chance.random() < 0.15
        self.expired += forgets
        return forgets

    def take(self, replica, kind):
        if self.cluster.left[replica] <= 0:
            return False
        self.cluster.left[replica] -= 1
        self.done[kind] += 1
        return True


async def fault_of_request(faults, stream, replica):
    """True when the request got an error for an answer."""
    if faults.chance.random() >= 0.25:
        return False
    kind = faults.chance.choice(ON_REQUEST)
    if kind == "401" and time.monotonic() < faults.shown + LIFE:
        return False  # who was refused, and is again with a new token, is refused for good
    if kind == "node" or not faults.take(replica, kind):
        return False
    code = int(kind[:3])
    if code == 401:
        faults.withdraw()
    headers = [("content-type", "application/json")] + ([("retry-after", "1")] if kind.endswith("later") else [])
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": f"chaos {kind}"}
    stream.answer(code, json.dumps(body).encode(), headers)
    return True


def fault_of_stream(faults, run):
    if faults.cluster.left[run.replica] <= 0:
        return None
    kind = "node" if faults.chance.random() < 0.06 else faults.chance.choice(ON_STREAM)
    if kind == "rotate" and run.finished is not None:
        kind = "clean"
    return Fault(faults, run, kind)


class Fault:
    """Strikes one answer after some of its lines."""

    def __init__(self, faults, run, kind):
        self.faults = faults
        self.run = run
        self.kind = kind
        self.lines = 0 if kind == "node" else faults.chance.choice((0, 1, 3, 10, 30, 60, 100))

    async def strikes(self, stream, records):
        """Sends the lines; True when the answer is over."""
        if len(records) <= self.lines:
            self.lines -= len(records)
            stream.data(b"".join(record.sent() for record in records))
            return False
        if self.is_second_lie(records[self.lines:]) or self.cuts_too_many(stream):
            self.kind = "stream"
        if not self.faults.take(self.run.replica, self.kind):
            self.lines = 10**9
            stream.data(b"".join(record.sent() for record in records))
            return False
        stream.data(b"".join(record.sent() for record in records[:self.lines]))
        await self.strike(stream, records[self.lines].sent())
        return True

    def cuts_too_many(self, stream):
        wide = self.kind == "restart" or (stream.version == "2" and self.kind in ON_CONNECTION)
        return wide and not self.faults.may_cut_all()

    def is_second_lie(self, unsent):
        """Two clean ends before the same line look like a log's true end: nobody can distinguish them."""
        if self.kind not in ("clean", "rotate", "node"):
            return False
        unreported = unsent[1:] if self.kind == "node" else unsent
        lied = not unreported or unreported[0] in self.run.lies
        self.run.lies += unreported[:1]
        return lied

    async def late(self, stream):
        """The end instead of a clean one, sometimes."""
        if self.kind not in ("reset", "stall", "stream") or self.cuts_too_many(stream):
            return False
        if not self.faults.take(self.run.replica, self.kind):
            return False
        await self.strike(stream, b"")
        return True

    async def strike(self, stream, line):
        chance = self.faults.chance
        if stream.gone:
            return
        part = line[:chance.randrange(len(line))] if line and chance.random() < 0.5 else b""
        await getattr(self, self.kind.replace("-", "_"))(stream, part, line)

    @staticmethod
    async def reset(stream, part, _):
        stream.data(part)
        stream.reset()

    @staticmethod
    async def close(stream, part, _):
        stream.data(part)
        stream.cut()

    @staticmethod
    async def restart(stream, part, _):
        """Of the API server: nothing that was open stays so, watches neither."""
        stream.data(part)
        for connection in stream.connection.site.connections:
            if connection.open:
                connection.reset()

    @staticmethod
    async def half_close(stream, part, _):
        """The other side says no more and listens on."""
        stream.data(part)
        connection = stream.connection
        if connection.open:
            connection.open = False
            with contextlib.suppress(OSError):  # the client may have gone
                connection.raw.write_eof()
            await asyncio.sleep(1)
            connection.raw.close()

    @staticmethod
    async def goaway(stream, part, _):
        stream.leave()
        await asyncio.sleep(0.3)
        if not stream.gone:
            stream.data(part)
            stream.cut()

    @staticmethod
    async def stream(stream, part, _):
        stream.data(part)
        stream.refuse("INTERNAL_ERROR")

    @staticmethod
    async def chunk(stream, part, line):
        """Ends inside what was promised."""
        sent = part or line[:-1]
        stream.data(sent)
        if stream.version == "2":
            stream.refuse("CANCEL")
        else:
            stream.connection.write(b"ffff\r\n" + line[len(sent):len(sent) + 1])
            stream.cut()

    @staticmethod
    async def clean(stream, part, _):
        """The API server hides that it lost the node."""
        stream.data(part)
        stream.end()

    async def stall(self, stream, part, _):
        stream.data(part)
        await asyncio.sleep(self.faults.chance.choice((0.5, 1.5, 3)))
        if not stream.gone:
            stream.refuse("INTERNAL_ERROR")

    async def rotate(self, stream, part, _):
        """What was written while nothing was read is gone. That a log once had a head, nobody can know who never saw it."""
        await asyncio.sleep(0.5)
        if self.faults.cluster.has_printed(self.run.records[0].text):
            self.run.rotate()
        stream.data(part)
        stream.end()

    async def node(self, stream, _, line):
        stream.data(GLUED + line)
        stream.end()
