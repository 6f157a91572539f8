"""A CONNECT and a SOCKS5 proxy that log whom they were asked for, and can refuse."""
import asyncio
import socket
import struct


class Proxy:
    """kind: connect or socks5. `refuse`: the status (connect) or code (socks5) instead of a tunnel.

    `resolve` maps names to addresses, as a proxy knows hosts that its clients do not.
    """

    def __init__(self, kind, changed, refuse=None, headers=None, text="", resolve=None, context=None):
        self.kind = kind
        self.changed = changed
        self.refuse = refuse
        self.headers = headers or {}
        self.text = text
        self.resolve = resolve or {}
        self.context = context
        self.log = []  # {target, headers}
        self.tasks = set()

    async def start(self):
        self.listener = await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.context)
        return self.listener.sockets[0].getsockname()[1]

    async def stop(self):
        self.listener.close()
        for task in list(self.tasks):
            task.cancel()

    async def serve(self, reader, writer):
        self.tasks.add(asyncio.current_task())
        try:
            handshake = self.connect if self.kind == "connect" else self.socks5
            target = await handshake(reader, writer)
            if target:
                await self.tunnel(reader, writer, *target)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.tasks.discard(asyncio.current_task())
            writer.close()

    async def connect(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        method, target, _ = first.split(" ")
        self.note(f"{method} {target}", headers)
        if self.refuse:
            extra = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
            body = self.text.encode()
            writer.write(f"HTTP/1.1 {self.refuse} Refused\r\n{extra}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
            return None
        host, _, port = target.rpartition(":")
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        return host.strip("[]"), int(port)

    async def socks5(self, reader, writer):
        _, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        headers = {}
        if 2 in methods:
            writer.write(b"\x05\x02")
            await reader.readexactly(1)
            user = await reader.readexactly((await reader.readexactly(1))[0])
            password = await reader.readexactly((await reader.readexactly(1))[0])
            headers = {"user": user.decode(), "password": password.decode()}
            writer.write(b"\x01\x00")
        else:
            writer.write(b"\x05\x00")
        *_, kind = await reader.readexactly(4)
        if kind == 3:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        else:
            family, size = (socket.AF_INET, 4) if kind == 1 else (socket.AF_INET6, 16)
            host = socket.inet_ntop(family, await reader.readexactly(size))
        port, = struct.unpack(">H", await reader.readexactly(2))
        self.note(f"SOCKS5 {host}:{port}", headers)
        writer.write(b"\x05" + bytes([self.refuse or 0]) + b"\x00\x01\0\0\0\0\0\0")
        return None if self.refuse else (host, port)

    def note(self, target, headers):
        self.log.append({"target": target, "headers": headers})
        self.changed()

    async def tunnel(self, reader, writer, host, port):
        far_reader, far_writer = await asyncio.open_connection(self.resolve.get(host, host), port)

        async def copy(source, sink):
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
            sink.close()

        there = asyncio.ensure_future(copy(reader, far_writer))
        try:
            await copy(far_reader, writer)
        finally:
            there.cancel()
            far_writer.close()
