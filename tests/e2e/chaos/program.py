"""What each replica of a chaos run does: it writes numbered lines of known content and follows orders, in files that the
node shares with it (beside this one): POD.runs is the number of its runs, POD.RUN how much a run has written and how it
ended, POD.order what to do: "ID RUN exit CODE" or "ID RUN burst BYTES", where RUN may be * for whichever it is."""

import os
import random
import signal
import sys
import time

PLACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.uname().nodename)


def read(name):
    try:
        with open(name, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


class Writer:
    def __init__(self):
        self.run = int(read(PLACE + ".runs") or 0) + 1
        with open(PLACE + ".part", "w", encoding="utf-8") as file:
            file.write(str(self.run))
        os.rename(PLACE + ".part", PLACE + ".runs")
        self.chance = random.Random(f"{PLACE} {self.run}")
        self.truth = os.open(f"{PLACE}.{self.run}", os.O_WRONLY | os.O_CREAT)
        self.number = 0
        self.done = ""
        self.terminated = False
        self.note("runs")

    def note(self, word):
        os.pwrite(self.truth, b"%012d %-10s" % (self.number, word.encode()), 0)

    def line(self, length):
        self.number += 1
        return b"%s %d %d %d %s\n" % (os.uname().nodename.encode(), self.run, self.number, length, b"x" * length)

    def say(self, lines):
        """First the log, then the truth: the log of one that is killed may be longer by this much."""
        rest = b"".join(lines)
        while rest:
            rest = rest[os.write(1, rest):]
        self.note("runs")

    def few(self):
        self.say([self.line(self.chance.choice((0, 3, 40, 200))) for _ in range(self.chance.choice((1, 1, 1, 2, 5, 20)))])
        what = self.chance.random()
        if what < 0.01:
            self.say([self.line(20000)])  # the runtime keeps it in two records
        elif what < 0.03:
            line = self.line(40)
            os.write(1, line[:20])
            time.sleep(0.1)
            self.say([line[20:]])

    def burst(self, size):
        while size > 0:
            self.say([self.line(1000) for _ in range(50)])
            size -= 50 * 1000

    def obey(self):
        order = read(PLACE + ".order").split()
        if len(order) != 4 or order[0] == self.done or order[1] not in ("*", str(self.run)):
            return
        self.done = order[0]
        if order[2] == "exit":
            self.end(int(order[3]))
        self.burst(int(order[3]))

    def end(self, code):
        self.say([self.line(40) for _ in range(5)])
        self.note(f"exit {code}")
        sys.exit(code)

    def terminate(self, *_):
        self.terminated = True

    def work(self):
        signal.signal(signal.SIGTERM, self.terminate)
        while not self.terminated:
            self.few()
            self.obey()
            time.sleep(self.chance.choice((0.02, 0.05, 0.1, 0.3)))
        self.end(143)


Writer().work()
