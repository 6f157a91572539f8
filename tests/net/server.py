"""A small HTTP/1.1 and HTTP/2 server that can hold, cut and refuse, for tests of the transport.

Prints "ready PORT" when it listens. Ends when its stdin is closed.
"""
import argparse
import asyncio
import gzip
import socket
import ssl
import sys
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
from hyperframe.frame import GoAwayFrame, SettingsFrame

connections = 0
held = []


def handle(stream, method, path, headers, body):
    """Answers one request; `stream` has head(), data(), end(), cut() and leave()."""
    if path == "/hello":
        stream.answer(200, b"hello")
    elif path == "/echo":
        lines = [f"{method} {stream.version}"]
        lines += [f"{name}: {value}" for name, value in headers]
        stream.answer(200, "\n".join(lines).encode() + b"\n\n" + body)
    elif path == "/hold":
        stream.head(200)
        stream.data(b"held\n")
        held.append(stream)
    elif path == "/hold-headless":
        held.append(stream)
    elif path == "/release":
        for one in held:
            one.release()
        held.clear()
        stream.answer(200, b"released")
    elif path == "/facts":
        stream.answer(200, f"{connections} {len(held)}".encode())
    elif path == "/cut":
        stream.head(200)
        stream.data(b"half of it")
        stream.cut()
    elif path == "/cut-headless":
        stream.cut()
    elif path == "/leave":
        stream.leave()
        stream.answer(200, b"leaving")
    elif path == "/gzip":
        stream.answer(200, gzip.compress(b"unpacked" * 1000), [("content-encoding", "gzip")])
    elif path == "/silent":
        pass
    elif path == "/big":
        stream.answer(200, b"x" * (1 << 20))
    else:
        stream.answer(404, b"no such path")


class Stream:
    """What both protocols share."""

    def answer(self, status, body, headers=()):
        self.head(status, [("content-length", str(len(body))), *headers])
        self.data(body)
        self.end()

    def release(self):
        if not self.started:
            self.head(200)
        self.end()


class Http1Stream(Stream):
    version = "1.1"

    def __init__(self, transport):
        self.transport = transport
        self.started = False
        self.chunked = True

    def head(self, status, headers=()):
        self.started = True
        self.chunked = all(name != "content-length" for name, _ in headers)
        extra = [("transfer-encoding", "chunked")] if self.chunked else []
        lines = [f"HTTP/1.1 {status} Status"] + [f"{n}: {v}" for n, v in [*headers, *extra]]
        self.transport.write("\r\n".join(lines).encode() + b"\r\n\r\n")

    def data(self, data):
        self.transport.write(b"%x\r\n%s\r\n" % (len(data), data) if self.chunked else data)

    def end(self):
        if self.chunked:
            self.transport.write(b"0\r\n\r\n")

    def cut(self):
        self.transport.close()

    def leave(self):
        pass


class Http1:
    def __init__(self, transport):
        self.transport = transport
        self.buffer = b""

    def received(self, data):
        self.buffer += data
        if not self.buffer[:1].isalpha():
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            self.transport.close()
            return
        while b"\r\n\r\n" in self.buffer:
            head, rest = self.buffer.split(b"\r\n\r\n", 1)
            first, *lines = head.decode("latin-1").split("\r\n")
            headers = [tuple(line.split(": ", 1)) if ": " in line else (line, "") for line in lines]
            sizes = [int(value) for name, value in headers if name.lower() == "content-length"]
            size = sizes[0] if sizes else 0
            if len(rest) < size:
                return
            self.buffer = rest[size:]
            method, path, _ = first.split(" ")
            handle(Http1Stream(self.transport), method, path, headers, rest[:size])


class Http2Stream(Stream):
    version = "2"

    def __init__(self, peer, number):
        self.peer = peer
        self.transport = peer.transport
        self.number = number
        self.started = False
        self.waiting = b""
        self.ending = False

    def head(self, status, headers=()):
        self.started = True
        self.peer.h2.send_headers(self.number, [(":status", str(status)), *headers])
        self.peer.flush()

    def data(self, data):
        self.waiting += data
        self.pump()

    def end(self):
        self.ending = True
        self.pump()

    def pump(self):
        h2c = self.peer.h2
        try:
            while self.waiting:
                room = min(h2c.local_flow_control_window(self.number), h2c.max_outbound_frame_size)
                if room == 0:
                    break
                h2c.send_data(self.number, self.waiting[:room])
                self.waiting = self.waiting[room:]
            if self.ending and not self.waiting:
                h2c.end_stream(self.number)
                self.peer.streams.pop(self.number, None)
        except h2.exceptions.ProtocolError:
            self.peer.streams.pop(self.number, None)  # the client has gone
        self.peer.flush()

    def cut(self):
        self.peer.transport.close()

    def leave(self):
        # Not by close_connection(): the streams that run are to go on.
        frame = GoAwayFrame(stream_id=0, last_stream_id=self.number)
        self.peer.transport.write(frame.serialize())


class Http2:
    def __init__(self, transport, most_streams, tells_late):
        self.transport = transport
        self.streams = {}
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        limit = h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS
        self.h2.local_settings = h2.settings.Settings(
            client=False, initial_values={limit: 1000 if tells_late else most_streams})
        self.h2.initiate_connection()
        # The library would end the whole connection of a client that has not read the limit yet;
        # a real server refuses just the stream (RFC 9113, 5.1.2), as received() does.
        self.h2.local_settings = h2.settings.Settings(client=False)
        self.most_streams = most_streams
        self.late_limit = {limit: most_streams} if tells_late else {}
        self.flush()

    def flush(self):
        self.transport.write(self.h2.data_to_send())

    def received(self, data):
        for event in self.h2.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                if self.late_limit:
                    self.transport.write(SettingsFrame(0, self.late_limit).serialize())
                    self.late_limit = {}
                if len(self.streams) >= self.most_streams:
                    self.h2.reset_stream(event.stream_id, h2.errors.ErrorCodes.REFUSED_STREAM)
                    continue
                stream = Http2Stream(self, event.stream_id)
                stream.request = [(n.decode(), v.decode()) for n, v in event.headers]
                stream.body = b""
                self.streams[event.stream_id] = stream
            elif isinstance(event, h2.events.DataReceived):
                if event.stream_id in self.streams:
                    self.streams[event.stream_id].body += event.data
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded) and event.stream_id in self.streams:
                stream = self.streams[event.stream_id]
                facts = dict(stream.request)
                handle(stream, facts[":method"], facts[":path"], stream.request, stream.body)
            elif isinstance(event, h2.events.WindowUpdated):
                for stream in list(self.streams.values()):
                    stream.pump()
            elif isinstance(event, h2.events.StreamReset):
                stream = self.streams.pop(event.stream_id, None)
                if stream in held:
                    held.remove(stream)
        self.flush()


class Peer(asyncio.Protocol):
    def __init__(self, options):
        self.options = options

    def connection_made(self, transport):
        global connections
        connections += 1
        tls = transport.get_extra_info("ssl_object")
        is_h2 = tls is not None and tls.selected_alpn_protocol() == "h2"
        self.http = Http2(transport, self.options.streams, self.options.late_limit) if is_h2 else Http1(transport)

    def data_received(self, data):
        self.http.received(data)

    def connection_lost(self, error):
        held[:] = [stream for stream in held if stream.transport is not self.http.transport]


def serve_certified(listener, context):
    """Answers clients with a certificate; sends the others the alert that asyncio swallows."""
    while True:
        connection, _ = listener.accept()
        tls = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        try:
            tls.do_handshake()
            tls.recv(65536)
            tls.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        except ssl.SSLError:
            tls.shutdown(socket.SHUT_WR)
            while tls.recv(65536):
                pass
        tls.close()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--client-ca")
    parser.add_argument("--alpn", default="h2,http/1.1")
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--late-limit", action="store_true", help="tell of --streams at the first request")
    parser.add_argument("--unix")
    options = parser.parse_args()
    context = None
    if options.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options.certificate, options.key)
        context.set_alpn_protocols(options.alpn.split(","))
        if options.client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(options.client_ca)
    loop = asyncio.get_running_loop()
    make = lambda: Peer(options)
    if options.client_ca:
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        threading.Thread(target=serve_certified, args=(listener, context), daemon=True).start()
    elif options.unix:
        await loop.create_unix_server(make, options.unix)
        port = 0
    else:
        server = await loop.create_server(make, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
    print("ready", port, flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
