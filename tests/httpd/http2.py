"""HTTP/2 as a server speaks it, with the ways to break it."""
import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
from hyperframe.frame import GoAwayFrame, SettingsFrame

from httpd.http1 import Stream


class Http2Stream(Stream):
    version = "2"

    def __init__(self, peer, number, headers):
        facts = dict(headers)
        super().__init__(peer.connection, facts[":method"], facts[":path"], headers, b"")
        self.peer = peer
        self.number = number
        self.waiting = b""
        self.ending = False

    @property
    def is_full(self):
        return bool(self.waiting) or not self.connection.writable

    def head(self, status, headers=()):
        self.started = True
        if self.gone:
            return
        lower = [(name.lower(), value) for name, value in headers]
        self.peer.h2.send_headers(self.number, [(":status", str(status)), *lower])
        self.peer.flush()

    def data(self, data):
        self.waiting += data
        self.pump()

    def end(self):
        self.ending = True
        self.pump()

    def all_at_once(self, pieces):
        """A frame each, in as few TLS records as they fit in."""
        self.peer.holds_back = True
        for piece in pieces:
            self.data(piece)
        self.end()
        self.peer.holds_back = False
        self.peer.flush()

    def end_with(self, data):
        """In one frame, which says that it is the last."""
        self.peer.h2.send_data(self.number, data, end_stream=True)
        self.peer.forget(self.number)
        self.peer.flush()

    def pump(self):
        h2c = self.peer.h2
        try:
            while self.waiting and not self.gone:
                room = min(h2c.local_flow_control_window(self.number), h2c.max_outbound_frame_size)
                if room == 0:
                    break
                h2c.send_data(self.number, self.waiting[:room])
                self.waiting = self.waiting[room:]
            if self.ending and not self.waiting and not self.gone:
                h2c.end_stream(self.number)
                self.peer.forget(self.number)
        except h2.exceptions.ProtocolError:
            self.peer.forget(self.number)  # the client has gone
        self.peer.flush()

    def refuse(self, code):
        """RST_STREAM with an error code by name."""
        if not self.gone:
            self.peer.h2.reset_stream(self.number, h2.errors.ErrorCodes[code])
            self.peer.forget(self.number)
            self.peer.flush()

    def leave(self):
        # close_connection() is not used, because running streams must continue.
        frame = GoAwayFrame(stream_id=0, last_stream_id=self.number)
        self.connection.write(frame.serialize())


class Http2:
    def __init__(self, connection, site):
        self.connection = connection
        self.site = site
        self.holds_back = False
        self.streams = {}
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, normalize_outbound_headers=False, validate_outbound_headers=False))
        limit = h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS
        self.h2.local_settings = h2.settings.Settings(
            client=False, initial_values={limit: 1000 if site.tells_late else site.most_streams})
        self.h2.initiate_connection()
        # The library would end the whole connection of a client that has not read the limit yet;
        # a real server refuses just the stream (RFC 9113, 5.1.2), as received() does.
        self.h2.local_settings = h2.settings.Settings(client=False)
        self.late_limit = {limit: site.most_streams} if site.tells_late else {}
        self.flush()

    def flush(self):
        if not self.holds_back:
            self.connection.write(self.h2.data_to_send())

    def forget(self, number):
        stream = self.streams.pop(number, None)
        if stream:
            stream.reset_by_peer = True

    def received(self, data):
        try:
            events = self.h2.receive_data(data)
        except h2.exceptions.ProtocolError:
            self.flush()
            self.connection.close()
            return
        for event in events:
            if isinstance(event, h2.events.RequestReceived):
                self.begin(event)
            elif isinstance(event, h2.events.DataReceived):
                if event.stream_id in self.streams:
                    self.streams[event.stream_id].body += event.data
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded) and event.stream_id in self.streams:
                self.site.handle(self.streams[event.stream_id])
            elif isinstance(event, h2.events.WindowUpdated):
                for stream in list(self.streams.values()):
                    stream.pump()
            elif isinstance(event, h2.events.StreamReset):
                self.forget(event.stream_id)
        self.flush()

    def begin(self, event):
        if self.late_limit:
            self.connection.write(SettingsFrame(0, self.late_limit).serialize())
            self.late_limit = {}
        if len(self.streams) >= self.site.most_streams:
            self.h2.reset_stream(event.stream_id, h2.errors.ErrorCodes.REFUSED_STREAM)
            return
        headers = [(n.decode(), v.decode("utf-8", "surrogateescape")) for n, v in event.headers]
        self.streams[event.stream_id] = Http2Stream(self, event.stream_id, headers)
