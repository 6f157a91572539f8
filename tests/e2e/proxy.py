"""proxy.py SERVER: an HTTP proxy on a free loopback port, which it prints; every CONNECT leads to SERVER (https://HOST:PORT)."""

import asyncio
import sys
from urllib.parse import urlsplit

SERVER = urlsplit(sys.argv[1])


async def copy(reader, writer):
    """Bytes one way until their end or the end of either side."""
    try:
        while piece := await reader.read(65536):
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
    await asyncio.gather(copy(reader, server_writer), copy(server_reader, writer))
    server_writer.close()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print("listening on 127.0.0.1:%d" % server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
