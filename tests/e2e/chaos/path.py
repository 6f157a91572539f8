"""The path between trainctl and the API server: a relay on a loopback port through which TLS passes untouched, and its faults."""
import asyncio
import contextlib
import socket
import struct


class Relay:
    """One connection: bytes go both ways until a fault has its turn."""

    def __init__(self, path, client, server):
        self.path = path
        self.client = client  # (reader, writer)
        self.server = server
        self.flows = asyncio.Event()
        self.flows.set()
        self.left = None  # bytes from the server until the connection is cut
        self.silent = False  # the client knows that nothing more comes
        self.active = asyncio.get_running_loop().time()
        self.over = False

    async def copy(self, reader, writer, to_client):
        with contextlib.suppress(OSError):
            while piece := await reader.read(65536):
                await self.flows.wait()
                if self.over or (to_client and self.silent):
                    break
                self.active = asyncio.get_running_loop().time()
                if to_client and self.left is not None:
                    piece, self.left = piece[:self.left], self.left - len(piece)
                writer.write(piece)
                await writer.drain()
                if to_client and self.left is not None and self.left <= 0:
                    break
            await self.flows.wait()
        self.close()

    def close(self, reset=False):
        """Both ends; with a reset the client learns not that the stream is over, but that there is none."""
        if self.over:
            return
        self.over = True
        self.path.relays.discard(self)
        for _, writer in (self.client, self.server):
            if reset:
                with contextlib.suppress(OSError):
                    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            else:
                writer.close()
        self.flows.set()


class Path:
    def __init__(self):
        self.server = None  # (host, port)
        self.relays = set()
        self.refusing = 0  # faults that let nobody in
        self.tasks = set()
        self.listener = None
        self.connections = 0

    async def start(self):
        self.listener = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return self.listener.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        self.connections += 1
        try:
            if self.refusing:
                raise ConnectionRefusedError
            server = await asyncio.open_connection(*self.server)
        except OSError:
            writer.transport.abort()
            return
        relay = Relay(self, (reader, writer), server)
        self.relays.add(relay)
        with contextlib.suppress(OSError):
            await asyncio.gather(relay.copy(reader, server[1], False), relay.copy(server[0], writer, True))

    def later(self, coroutine):
        """What a fault does after it has struck."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def some(self, chance):
        """One connection, or now and then all there are."""
        relays = sorted(self.relays, key=lambda relay: relay.active)
        return relays if not relays or chance.random() < 0.3 else [chance.choice(relays)]

    # Each fault gives the number of connections that it met.

    def each(self, chance, strike):
        relays = self.some(chance)
        for relay in relays:
            strike(relay)
        return len(relays)

    def hold(self, relay, until):
        relay.flows.clear()
        self.later(until)

    def reset(self, chance):
        return self.each(chance, lambda relay: relay.close(reset=True))

    def close(self, chance):
        return self.each(chance, lambda relay: relay.close())

    def half_close(self, chance):
        """The server's side says no more and listens on."""
        def strike(relay):
            relay.silent = True
            with contextlib.suppress(OSError):
                relay.client[1].write_eof()
            self.hold(relay, self.end_after(relay, chance.choice((0.2, 1, 3)), False))
        return self.each(chance, strike)

    def truncate(self, chance):
        """The end comes in the midst of a record."""
        def strike(relay):
            relay.left = chance.choice((1, 7, 60, 400))
            self.later(self.end_after(relay, 5, False))
        return self.each(chance, strike)

    def stall(self, chance):
        return self.each(chance, lambda relay: self.hold(
            relay, self.end_after(relay, chance.choice((0.5, 2, 6)), chance.random() < 0.5)))

    def black_hole(self, chance):
        """For longer than the client bears it."""
        return self.each(chance, lambda relay: self.hold(relay, self.end_after(relay, 70, True)))

    def pause(self, chance):
        return self.each(chance, lambda relay: self.hold(relay, self.go_on_after(relay, chance.choice((0.5, 2, 6)))))

    def idle(self, chance):
        """A proxy that ends what says nothing for a while."""
        now = asyncio.get_running_loop().time()
        quiet = [relay for relay in self.relays if now - relay.active > chance.choice((0.2, 0.5))]
        for relay in quiet:
            relay.close()
        return len(quiet)

    def outage(self, chance):
        relays = list(self.relays)
        if not relays:
            return 0
        for relay in relays:
            relay.close(reset=True)
        self.refusing += 1
        self.later(self.let_in_after(chance.choice((0.5, 2, 5))))
        return len(relays)

    @staticmethod
    async def end_after(relay, seconds, reset):
        await asyncio.sleep(seconds)
        relay.close(reset)

    @staticmethod
    async def go_on_after(relay, seconds):
        await asyncio.sleep(seconds)
        relay.flows.set()

    async def let_in_after(self, seconds):
        await asyncio.sleep(seconds)
        self.refusing -= 1
