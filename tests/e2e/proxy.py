"""proxy.py SERVER [CUTS BYTES]: an HTTP proxy on a free loopback port, which it prints; every CONNECT leads to SERVER (https://HOST:PORT).

With CUTS and BYTES, the first CUTS connections that carry so many bytes are cut at a random place behind them, within as many again.
"""

import asyncio
import random
import sys
from urllib.parse import urlsplit

SERVER = urlsplit(sys.argv[1])
CUTS, BYTES = (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 2 else (0, 0)
cuts = 0


class Connection:
    """Both directions of a tunnel, and how many bytes it has carried."""

    def __init__(self, *writers):
        self.writers = writers
        self.carried = 0
        self.end = random.randint(BYTES, 2 * BYTES)

    def carries(self, piece):
        """False when it is cut instead."""
        global cuts
        self.carried += len(piece)
        if cuts >= CUTS or self.carried < self.end:
            return True
        cuts += 1
        print("cut %d after %d bytes" % (cuts, self.carried), flush=True)
        for writer in self.writers:
            writer.transport.abort()
        return False


async def copy(reader, writer, connection):
    """Bytes one way until their end or the end of either side."""
    try:
        while (piece := await reader.read(65536)) and connection.carries(piece):
            writer.write(piece)
            await writer.drain()
        writer.write_eof()
    except (ConnectionError, OSError):
        writer.close()


async def serve(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    print(head.split(b"\r\n")[0].decode(), flush=True)
    if not head.startswith(b"CONNECT "):
        writer.write(b"HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        writer.close()
        return
    server_reader, server_writer = await asyncio.open_connection(SERVER.hostname, SERVER.port)
    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    connection = Connection(writer, server_writer)
    await asyncio.gather(copy(reader, server_writer, connection), copy(server_reader, writer, connection))
    server_writer.close()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print("listening on 127.0.0.1:%d" % server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
