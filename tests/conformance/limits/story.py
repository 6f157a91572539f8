"""One job whose log is asked for under limits: what is written, when, and how its answers are cut."""
import asyncio

from chaos.cluster import Cluster, Pod
from chaos.runs import Record, new_run
from chaos.server import ChaosServer, since_nanoseconds

SECOND = 10**9
OLD, RECENT = 600, 20  # seconds before the command line at which lines were written
STATES = ("ended", "running", "restarted", "cut")
CUTS = (0, 1, 0, 2)  # whole lines before each cut


class Never:
    """Chance by which nothing goes wrong that is not meant."""

    @staticmethod
    def random():
        return 0.99


class Story(Cluster):
    def __init__(self, state, follows):
        super().__init__(f"limits {state}", 1, 0)
        self.state = state
        self.follows = follows
        self.fails = False
        self.pod = Pod("master", 0, 0)
        self.pod.scheduled = True
        self.pod.phase = "Running"
        self.pods[self.pod.name] = self.pod
        self.cuts = list(CUTS) if state == "cut" else []
        self.looked = asyncio.Event()
        self.previous = self.add_run(1) if state == "restarted" else None
        if self.previous is not None:
            self.previous.finish(1)
        self.run = self.add_run(len(self.pod.runs) + 1)
        self.at_first = None  # lines that there were when the last ones were asked for last
        self.later = []  # runs that begin while it is followed
        if state == "ended" or not follows:
            self.end()

    def add_run(self, attempt):
        """Six old lines, six recent ones, half a second apart."""
        run = new_run("master-0", attempt, 0, self.seed)
        now = run.now()
        run.started = now - OLD * SECOND
        for number in range(12):
            ago = OLD if number < 6 else RECENT
            run.records.append(Record(now - ago * SECOND + number % 6 * SECOND // 2 + SECOND // 4, f"{attempt} line {number}"))
        self.pod.runs.append(run)
        self.pod.reported = len(self.pod.runs)
        return run

    def write(self, run):
        run.records.append(Record(max(run.now(), run.records[-1].stamp + 1 if run.records else 0), f"{run.attempt} line {len(run.records)}"))

    def end(self):
        self.pod.runs[-1].finish(0)
        self.pod.phase = "Succeeded"
        self.conditions = [{"type": "Succeeded", "status": "True", "reason": "PyTorchJobSucceeded", "message": "done",
                            "lastTransitionTime": "2026-01-02T03:00:05Z"}]

    def begin(self):
        if not self.lives:
            self.shown[self.pod.name] = self.pod.to_json()
            self.lives = [asyncio.ensure_future(self.go_on())]

    async def go_on(self):
        """Once its log is followed three lines come, another run with three, and the end."""
        if self.run.finished is not None:
            return
        await self.looked.wait()
        for _ in range(3):
            self.write(self.run)
            await asyncio.sleep(0.05)
        if self.state == "restarted":
            await self.printed_all()
            self.run.finish(1)
            self.tell_pod(self.pod)
            await asyncio.sleep(1)
            run = new_run("master-0", 3, 0, self.seed)
            self.pod.runs.append(run)
            self.pod.reported = 3
            self.later.append(run)
            self.tell_pod(self.pod)
            for _ in range(3):
                self.write(run)
                await asyncio.sleep(0.05)
        self.end()
        self.tell_pod(self.pod)
        await asyncio.sleep(0.05)
        self.emit("pytorchjobs", "MODIFIED", self.job())

    async def printed_all(self):
        while not self.has_printed(self.pod.runs[-1].last_text()):
            await asyncio.sleep(0.05)


class LimitsServer(ChaosServer):
    """Answers logs as a node does, and cuts them where the story says so."""

    def __init__(self, story, **options):
        super().__init__(story, Never(), **options)

    async def send_log(self, stream, pod, run, query):
        story = self.cluster
        stream.head(200, [("content-type", "text/plain")])
        since = since_nanoseconds(query)
        follows = query.get("follow") == "true"
        chosen = [number for number, record in enumerate(run.records) if record.stamp >= since]
        if "tailLines" in query:
            chosen = chosen[max(0, len(chosen) - int(query["tailLines"])):]
        at = len(run.records)
        cut = story.cuts.pop(0) if story.cuts else None
        brought = chosen if cut is None else chosen[:cut]
        if "tailLines" in query and run is story.run:
            story.at_first = at
        stream.data(b"".join(run.records[number].sent() for number in brought))
        if cut is not None:
            half = chosen[cut:cut + 1]
            stream.data(b"".join(run.records[number].sent()[:35] for number in half))
            if run.finished is None:  # written while nobody reads
                story.write(run)
                story.write(run)
            await asyncio.sleep(0.05)
            stream.reset()
            return
        story.looked.set()
        while follows and not stream.gone:
            stream.data(b"".join(record.sent() for record in run.records[at:] if record.stamp >= since))
            at = len(run.records)
            if run.finished is not None:
                break
            await asyncio.sleep(0.02)
        stream.end()
