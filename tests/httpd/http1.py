"""HTTP/1.1 as a server speaks it, with the ways to break it."""


class Stream:
    """A request and the means to answer it; what both protocols share."""

    def __init__(self, connection, method, path, headers, body):
        self.connection = connection
        self.method = method
        self.path = path
        self.headers = headers  # pairs, as they came
        self.body = body
        self.started = False
        self.reset_by_peer = False

    @property
    def gone(self):
        """Nobody listens any more."""
        return self.reset_by_peer or not self.connection.open

    @property
    def is_full(self):
        """The other side is slower than we are: more would wait in memory."""
        return not self.connection.writable

    def answer(self, status, body, headers=()):
        self.head(status, [("content-length", str(len(body))), *headers])
        self.data(body)
        self.end()

    def all_at_once(self, pieces):
        """In few writes, with HTTP/2 a frame each."""
        self.data(b"".join(pieces))
        self.end()

    def release(self):
        if not self.started:
            self.head(200)
        self.end()

    def cut(self):
        self.connection.close()

    def reset(self):
        self.connection.reset()


class Http1Stream(Stream):
    version = "1.1"
    chunked = True

    def head(self, status, headers=()):
        self.started = True
        empty = status == 204 or status == 304
        self.chunked = not empty and all(name.lower() != "content-length" for name, _ in headers)
        extra = [("transfer-encoding", "chunked")] if self.chunked else []
        lines = [f"HTTP/1.1 {status} Status"] + [f"{n}: {v}" for n, v in [*headers, *extra]]
        self.connection.write("\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n")

    def data(self, data):
        if data:
            self.connection.write(b"%x\r\n%s\r\n" % (len(data), data) if self.chunked else data)

    def end(self):
        if self.chunked:
            self.connection.write(b"0\r\n\r\n")

    def refuse(self, code):
        """HTTP/1.1 has no streams to refuse, only connections."""
        self.connection.reset()

    def leave(self):
        pass


class Http1:
    def __init__(self, connection, site):
        self.connection = connection
        self.site = site
        self.buffer = b""

    def received(self, data):
        self.buffer += data
        if not self.buffer[:1].isalpha():
            self.connection.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            self.connection.close()
            return
        while b"\r\n\r\n" in self.buffer:
            head, rest = self.buffer.split(b"\r\n\r\n", 1)
            first, *lines = head.decode("latin-1").split("\r\n")
            headers = [tuple(line.split(": ", 1)) if ": " in line else (line.rstrip(":"), "") for line in lines]
            sizes = [int(value) for name, value in headers if name.lower() == "content-length"]
            size = sizes[0] if sizes else 0
            if len(rest) < size:
                return
            self.buffer = rest[size:]
            method, path, _ = first.split(" ")
            self.site.handle(Http1Stream(self.connection, method, path, headers, rest[:size]))
