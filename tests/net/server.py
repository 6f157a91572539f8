"""Answers the paths that the transport's tests ask for: hold, cut, refuse, leave.

Prints "ready PORT" when it listens. Ends when its stdin is closed.
"""
import argparse
import asyncio
import ctypes
import gzip
import json
import os
import socket
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# pylint: disable=wrong-import-position
import objects
from httpd.connection import Site, server_context
from httpd.websocket import WebSocket


def drop_packets(connection):
    """From now on the kernel drops what the client sends, without an acknowledgement: a dead path."""
    attach_filter = 26  # SO_ATTACH_FILTER
    take_nothing = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
    program = struct.pack("HL", 1, ctypes.addressof(take_nothing))
    connection.raw.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, attach_filter, program)


class PathSite(Site):
    def __init__(self, **options):
        super().__init__(self.answer, **options)
        self.held = []
        self.heartbeats = 0

    def answer(self, stream):
        path = stream.path
        if path == "/hello":
            stream.answer(200, b"hello")
        elif path == "/echo":
            lines = [f"{stream.method} {stream.version}"]
            lines += [f"{name}: {value}" for name, value in stream.headers]
            stream.answer(200, "\n".join(lines).encode() + b"\n\n" + stream.body)
        elif path == "/hold":
            stream.head(200)
            stream.data(b"held\n")
            self.held.append(stream)
        elif path == "/hold-headless":
            self.held.append(stream)
        elif path == "/release":
            for one in self.held:
                one.release()
            self.held.clear()
            stream.answer(200, b"released")
        elif path == "/announce":
            for one in self.held:
                one.data(b"a line\n")
            stream.answer(200, b"announced")
        elif path == "/release-first":
            self.held.pop(0).release()
            stream.answer(200, b"released")
        elif path == "/facts":
            self.held = [one for one in self.held if not one.gone]
            stream.answer(200, f"{len(self.connections)} {len(self.held)}".encode())
        elif path == "/livez":
            self.heartbeats += 1
            stream.answer(401, b"who are you?")
        elif path == "/heartbeats":
            stream.answer(200, str(self.heartbeats).encode())
        elif path == "/mute":
            stream.answer(200, b"not a word more")
            stream.connection.mute()
        elif path == "/cut":
            stream.head(200)
            stream.data(b"half of it")
            stream.cut()
        elif path == "/cut-headless":
            stream.cut()
        elif path == "/trailers":
            stream.head(200)
            stream.data(b"hello")
            stream.connection.write(b"0\r\n" + b"x: y\r\n" * 400_000)
        elif path == "/leave":
            stream.leave()
            stream.answer(200, b"leaving")
        elif path == "/gzip":
            stream.answer(200, gzip.compress(b"unpacked" * 1000), [("content-encoding", "gzip")])
        elif path == "/silent":
            pass
        elif path == "/deaf":
            drop_packets(stream.connection)
            stream.answer(200, b"not a packet more is taken in")
        elif path.startswith("/apis/"):
            status, answer = objects.answer(stream.method, path, stream.body)
            stream.answer(status, json.dumps(answer).encode(), [("content-type", "application/json")])
        elif path == "/long-head":
            stream.answer(200, b"long", [("x-long", "x" * 5000)])
        elif path.startswith("/frames/"):
            stream.head(200)
            stream.all_at_once([b"x" * int(size) for size in path.removeprefix("/frames/").split("-")])
        elif path.startswith("/ending-frame/"):
            stream.head(200)
            stream.end_with(b"x" * int(path.removeprefix("/ending-frame/")))
        elif path == "/socket/echo":
            WebSocket(stream, WebSocket.send)
        elif path == "/socket/close":
            WebSocket(stream, lambda socket, _: socket.close(1011, b"out of order"))
        elif path == "/socket/cut":
            WebSocket(stream, lambda socket, _: socket.connection.close())
        elif path == "/socket/pings":
            WebSocket(stream, lambda socket, _: socket.ping_without_reading(400_000))
        elif path == "/socket/wrong-key":
            WebSocket(stream, WebSocket.send, key="another request's")
        elif path == "/socket/wrong-protocol":
            WebSocket(stream, WebSocket.send, protocol="v9.channel.k8s.io")
        elif path == "/socket/forbidden":
            stream.answer(403, b"not for you")
        elif path == "/big":
            stream.answer(200, b"x" * (1 << 20))
        else:
            stream.answer(404, b"no such path")

    def lost(self, connection):
        self.held = [stream for stream in self.held if stream.connection is not connection]


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--client-ca")
    parser.add_argument("--alpn", default="h2,http/1.1")
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--late-limit", action="store_true", help="announce --streams at the first request")
    parser.add_argument("--unix")
    options = parser.parse_args()
    context = None
    if options.certificate:
        context = server_context(options.certificate, options.key, options.alpn.split(","), options.client_ca)
    site = PathSite(context=context, most_streams=options.streams, tells_late=options.late_limit)
    loop = asyncio.get_running_loop()
    if options.unix:
        await loop.create_unix_server(site.protocol, options.unix)
        port = 0
    else:
        server = await loop.create_server(site.protocol, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
    print("ready", port, flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
