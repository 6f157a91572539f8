"""relay.py SOCKET: leads connections to a free loopback port, whose address it prints, to a Unix socket."""

import asyncio
import contextlib
import sys


async def copy(reader, writer):
    """Bytes one way until their end, or the end of the other side."""
    with contextlib.suppress(ConnectionError, OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    writer.close()


async def serve(reader, writer):
    try:
        socket_reader, socket_writer = await asyncio.open_unix_connection(sys.argv[1])
    except OSError:
        writer.close()
        return
    await asyncio.gather(copy(reader, socket_writer), copy(socket_reader, writer))


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print("http://127.0.0.1:%d" % server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
