"""The faults of a chaos run: of the path, of the cluster's daemons, of containers, pods, credentials and clocks."""
import asyncio
import collections
import datetime
import os

MIB = 1 << 20
# How often each is drawn: faults of the path are cheap, after those of daemons it takes seconds until all serve again.
ON_PATH = {"reset": 18, "close": 10, "half_close": 10, "truncate": 14, "stall": 10, "pause": 8, "idle": 8, "outage": 6}
ON_CLUSTER = {"apiserver": 0.6, "apiserver_killed": 0.3, "kubelet": 1, "kubelet_killed": 1,
              "exit": 4, "evict": 2, "delete": 1.5, "burst": 0.5, "token": 2, "clock": 3}
LONG = {"black_hole": 0.5}  # only where there is time for them
CLOCK = (-7200, -90, -3, -0.5, 0, 0.5, 3, 90, 7200)
BURST = 50 * MIB


class Faults:
    def __init__(self, chance, path, cluster, clock_file, long, book):
        self.chance = chance
        self.path = path
        self.cluster = cluster
        self.clock_file = clock_file  # says by how many seconds trainctl's clock is wrong; None: it cannot be
        self.weights = {**ON_PATH, **ON_CLUSTER, **(LONG if long else {})}
        if not clock_file:
            del self.weights["clock"]
        self.done = collections.Counter()
        self.has_shown = lambda text: False  # whether the follower has printed it
        self.tasks = set()
        self.trouble = []
        self.book = book

    def all_kinds(self):
        kinds = sorted(self.weights)
        self.chance.shuffle(kinds)
        return kinds

    async def strike(self, cuts, follows):
        """Each kind once, in any order, and the others by weight; those that met nothing do not count."""
        first = self.all_kinds()
        while (self.done.total() < cuts or first) and follows():
            kind = self.chance.choices(list(self.weights), self.weights.values())[0]
            if first and self.chance.random() < 0.6:
                kind = first.pop()
            pause = self.chance.choice((0.05, 0.2, 0.5, 1, 1.5))
            struck = await getattr(self, kind, self.on_path)(kind)
            self.journal(f"{kind} {struck}")
            if struck:
                self.done[kind] += 1
            elif kind not in self.done and kind not in first:
                first.insert(0, kind)
            await asyncio.sleep(pause if struck else 0.05)

    def journal(self, text):
        """What happened when, for whoever looks for a cause."""
        self.book.write(f"{datetime.datetime.now(datetime.timezone.utc):%H:%M:%S.%f} {text}\n")
        self.book.flush()

    async def on_path(self, kind):
        return getattr(self.path, kind)(self.chance)

    def beside(self, kind, work):
        """Other faults go on while this one takes its time."""
        async def finish():
            try:
                await work
                self.journal(f"{kind} is over")
            except RuntimeError as error:
                self.trouble.append(str(error))

        task = asyncio.get_running_loop().create_task(finish())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return True

    async def restart(self, kind):
        daemon, _, how = kind.partition("_")
        if self.cluster.restarting.locked():
            return False
        return self.beside(kind, self.cluster.restart({"apiserver": "kube-apiserver"}.get(daemon, daemon), "KILL" if how else "TERM"))

    apiserver = apiserver_killed = kubelet = kubelet_killed = restart

    def one(self, may=lambda replica: True):
        """A replica that works, or None."""
        able = [replica for replica in self.cluster.replicas if replica.works() and may(replica)]
        return self.chance.choice(able) if able else None

    async def exit(self, _):
        """In place twice, so that the node does not wait for long before the next start; else with a new pod."""
        in_place = self.cluster.in_place
        replica = self.one(lambda one: not in_place or one.restarts < 2)
        if not replica:
            return False
        replica.restarts += in_place
        number = replica.runs()
        replica.leave(number)
        replica.order("exit 1" if in_place else "exit 138", number)
        if not in_place:
            replica.lost[number] = "exit 138"
        return True

    async def removal(self, kind):
        replica = self.one()
        if not replica:
            return False
        replica.restarts = 0
        replica.leave(replica.runs())
        replica.lost[replica.runs()] = kind
        return self.beside(kind, self.cluster.evict(replica) if kind == "evict" else self.cluster.delete(replica))

    evict = delete = removal

    async def burst(self, _):
        """A log that is rotated before anybody saw its head leaves no trace of it."""
        replica = self.one(lambda one: self.has_shown(f"{one.pod} {one.runs()} 1 "))
        if not replica:
            return False
        number = replica.runs()
        replica.rotated.add(number)
        replica.order(f"burst {BURST}", number)
        del replica.ordered[number]  # it works on
        return True

    async def token(self, kind):
        return self.beside(kind, self.cluster.revoke())

    async def clock(self, _):
        with open(self.clock_file + ".part", "w", encoding="utf-8") as file:
            file.write("%+gs" % self.chance.choice(CLOCK))
        os.rename(self.clock_file + ".part", self.clock_file)
        return True
