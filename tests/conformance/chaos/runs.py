"""What containers write: numbered lines of known content, kept as a node keeps them."""
import asyncio
import dataclasses
import datetime
import random
import time


@dataclasses.dataclass(eq=False)
class Record:
    """A line as the runtime stores it; `dropped` ones have been rotated away."""

    stamp: int  # nanoseconds
    text: str
    dropped: bool = False

    def sent(self):
        return f"{stamp_text(self.stamp)} {self.text}\n".encode()


def stamp_text(nanoseconds):
    seconds, fraction = divmod(nanoseconds, 10**9)
    when = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return f"{when:%Y-%m-%dT%H:%M:%S}.{fraction:09d}Z"


def second_text(nanoseconds):
    return stamp_text(nanoseconds)[:19] + "Z"


class Run:
    """One run of a container, and what of its log can still be read."""

    def __init__(self, replica, attempt, skew, chance):
        self.replica = replica
        self.attempt = attempt
        self.skew = skew  # of the node's clock
        self.chance = chance
        self.container_id = f"containerd://{replica}-{attempt}-{chance.getrandbits(32):08x}"
        self.records = []
        self.lies = []  # what came next where an answer pretended to be the whole
        self.first = 0  # what lies before was rotated away
        self.started = self.now()
        self.finished = None
        self.exit_code = None

    def now(self):
        return time.time_ns() + self.skew

    def write(self):
        """One line; some are empty, long, repeated, or stamped late as stderr's beside stdout's."""
        number = len(self.records)
        stamp = max(self.now(), self.records[-1].stamp + 1 if self.records else 0)
        text = f"{self.replica} {self.attempt} {number:06d} " + "x" * self.chance.choice((0, 3, 40, 200))
        what = self.chance.random()
        if what < 0.005:
            text += "y" * 20000
        elif what < 0.05 and number:
            stamp -= self.chance.randrange(min(900_000_000, max(1, stamp - self.started)))
        self.records.append(Record(stamp, text))
        if 0.05 < what < 0.1:
            self.records.append(Record(stamp, text))
        elif 0.1 < what < 0.12:
            self.records.append(Record(stamp, ""))

    async def work(self, enough):
        """Writes until `enough()`, in bursts and pauses, and a little more."""
        more = 10
        while more > 0:
            for _ in range(self.chance.choice((1, 1, 1, 2, 5, 20))):
                self.write()
            await asyncio.sleep(self.chance.choice((0.01, 0.03, 0.06, 0.2)))
            more = more - 1 if enough() else 10

    def finish(self, exit_code):
        self.finished = self.now()
        self.exit_code = exit_code

    def last_text(self):
        """Of the newest line that the node still has and that no other one equals; empty: there is none."""
        return next((record.text for record in reversed(self.records) if record.text and not record.dropped), "")

    def rotate(self):
        for record in self.records[self.first:]:
            record.dropped = True
        self.first = len(self.records)


def new_run(replica, attempt, skew, seed):
    return Run(replica, attempt, skew, random.Random(f"{seed} {replica} {attempt}"))
