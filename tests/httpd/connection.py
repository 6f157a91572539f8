"""One accepted connection: TLS where the site wants it, then HTTP/1.1 or HTTP/2 as agreed.

TLS is done here and not by asyncio, which swallows alerts and reports nothing of failed handshakes.
"""
import asyncio
import socket
import ssl
import struct

from httpd.http1 import Http1
from httpd.http2 import Http2


class Site:
    """What listens: a TLS context (None: plain), limits of HTTP/2, and who answers a request.

    `handshakes`: what becomes of the first ones: close or reset.
    """

    def __init__(self, handle, context=None, most_streams=100, tells_late=False, handshakes=()):
        self.handle = handle
        self.context = context
        self.most_streams = most_streams
        self.tells_late = tells_late
        self.handshakes = list(handshakes)
        self.connections = []  # all there have been, in order

    def protocol(self):
        """For create_server."""
        return Connection(self)

    def lost(self, connection):
        """A connection is over; for those who keep streams."""


def server_context(certificate, key, alpn=("h2", "http/1.1"), client_ca=None, required=True):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(list(alpn))
    if client_ca:
        context.verify_mode = ssl.CERT_REQUIRED if required else ssl.CERT_OPTIONAL
        context.load_verify_locations(client_ca)
    return context


class Connection(asyncio.Protocol):
    """Gives the HTTP layer write(), close() and reset(); keeps what the handshake showed."""

    def __init__(self, site):
        self.site = site
        self.http = None
        self.tls = None
        self.sni = None
        self.peer = None  # common name of the client's certificate
        self.failure = None  # of the handshake
        self.received_bytes = 0
        self.open = True
        self.writable = True
        self.muted = False

    def pause_writing(self):
        self.writable = False

    def resume_writing(self):
        self.writable = True

    def connection_made(self, transport):
        self.raw = transport
        self.site.connections.append(self)
        context = self.site.context
        if context is None:
            self.http = Http1(self, self.site)
            return
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        context.sni_callback = lambda tls, name, _: setattr(tls, "told_name", name)
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)

    def data_received(self, data):
        self.received_bytes += len(data)
        if self.failure:
            return
        if self.tls is None:
            self.http.received(data)
            return
        if self.http is None and self.site.handshakes:
            getattr(self, self.site.handshakes.pop(0))()
            return
        self.incoming.write(data)
        if self.http is None and not self.shake_hands():
            return
        self.pass_on()

    def shake_hands(self):
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            self.flush()
            return False
        except ssl.SSLError as error:
            self.fail(error)
            return False
        self.flush()
        self.sni = getattr(self.tls, "told_name", None)
        subject = (self.tls.getpeercert() or {}).get("subject", ())
        self.peer = dict(pair for part in subject for pair in part).get("commonName")
        is_h2 = self.tls.selected_alpn_protocol() == "h2"
        self.http = Http2(self, self.site) if is_h2 else Http1(self, self.site)
        return True

    def fail(self, error):
        """Lets the alert arrive: closing now would reset the connection over unread data."""
        self.failure = str(error)
        self.flush()
        if self.raw.can_write_eof() and not self.raw.is_closing():
            self.raw.write_eof()

    def pass_on(self):
        while self.open:
            try:
                data = self.tls.read(65536)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLError as error:
                self.fail(error)
                break
            if not data:
                self.raw.close()
                break
            self.http.received(data)
        self.flush()

    def flush(self):
        data = self.outgoing.read()
        if data and not self.raw.is_closing():
            self.raw.write(data)

    def write(self, data):
        if not data or not self.open or self.muted:
            return
        if self.tls is None:
            self.raw.write(data)
            return
        self.tls.write(data)
        self.flush()

    def mute(self):
        """From now on it takes everything in and answers nothing, as behind a proxy that has lost its way on."""
        self.muted = True

    def close(self):
        """Ends the connection properly, whatever streams are on it."""
        if self.tls is not None and self.http is not None:
            try:
                self.tls.unwrap()
            except ssl.SSLError:
                pass  # the other side's goodbye is not waited for
            self.flush()
        self.open = False
        self.raw.close()

    def reset(self):
        """As a dying machine or a careless firewall does: a TCP reset."""
        linger_not_at_all = struct.pack("ii", 1, 0)
        self.raw.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_not_at_all)
        self.open = False
        self.raw.abort()

    def connection_lost(self, error):
        self.open = False
        self.site.lost(self)
