"""WebSockets as a server speaks them, for what answers requests by HTTP/1.1."""
import base64
import hashlib
import struct

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def frame(payload, opcode=2):
    size = len(payload)
    if size < 126:
        return bytes([0x80 | opcode, size]) + payload
    if size < 65536:
        return bytes([0x80 | opcode, 126]) + struct.pack(">H", size) + payload
    return bytes([0x80 | opcode, 127]) + struct.pack(">Q", size) + payload


def unmasked(payload, mask):
    whole = mask * (len(payload) // 4 + 1)
    size = len(payload)
    return (int.from_bytes(payload, "big") ^ int.from_bytes(whole[:size], "big")).to_bytes(size, "big")


class WebSocket:
    """Takes the connection of a request over. `on_message(socket, message)` gets each binary message."""

    def __init__(self, stream, on_message, protocol=None, key=None):
        headers = {name.lower(): value for name, value in stream.headers}
        key = key or headers["sec-websocket-key"]
        protocol = protocol or headers["sec-websocket-protocol"].split(",")[0].strip()
        accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        self.connection = stream.connection
        self.connection.http = self
        self.on_message = on_message
        self.buffer = b""
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Accept: {accept}", f"Sec-WebSocket-Protocol: {protocol}"]
        self.connection.write("\r\n".join(lines).encode() + b"\r\n\r\n")

    def send(self, message):
        self.connection.write(frame(message))

    def close(self, code=1000, reason=b""):
        self.connection.write(frame(struct.pack(">H", code) + reason, 8))
        self.connection.close()

    def ping_without_reading(self, count):
        self.connection.raw.pause_reading()
        pings = frame(b"x" * 125, 9) * 1000
        for _ in range(count // 1000):
            self.connection.write(pings)

    def received(self, data):
        self.buffer += data
        while (taken := self.take_frame()) is not None:
            opcode, payload = taken
            if opcode == 2:
                self.on_message(self, payload)
            elif opcode == 9:
                self.connection.write(frame(payload, 10))
            elif opcode == 8:
                self.connection.close()

    def take_frame(self):
        if len(self.buffer) < 6:
            return None
        size, at = self.buffer[1] & 0x7F, 2
        if size == 126:
            size, at = struct.unpack(">H", self.buffer[2:4])[0], 4
        elif size == 127:
            if len(self.buffer) < 10:
                return None
            size, at = struct.unpack(">Q", self.buffer[2:10])[0], 10
        if len(self.buffer) < at + 4 + size:
            return None
        mask = self.buffer[at:at + 4]
        payload = self.buffer[at + 4:at + 4 + size]
        opcode = self.buffer[0] & 0x0F
        self.buffer = self.buffer[at + 4 + size:]
        return opcode, unmasked(payload, mask)
