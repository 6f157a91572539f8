"""A job, its pods and their lives: what the API server of a chaos run knows and sends to watchers."""
import asyncio
import copy
import random

from chaos.runs import new_run, second_text

NAME = "ddp"
JOB_KIND = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob"}
BEGUN = "2026-01-02T03:00:05Z"
RELIST = 1.0  # seconds: so often a kubelet looks at its containers, and answers by what it saw
LABEL = "training.kubeflow.org/"


def template(replicas):
    return {"replicas": replicas, "restartPolicy": "OnFailure",
            "template": {"spec": {"containers": [{"name": "pytorch", "image": "registry/train:1"}]}}}


def manifest(replicas):
    return {**JOB_KIND, "metadata": {"name": NAME}, "spec": {
        "runPolicy": {"cleanPodPolicy": "None", "backoffLimit": 100},
        "pytorchReplicaSpecs": {"Master": template(1), **({"Worker": template(replicas - 1)} if replicas > 1 else {})}}}


class Pod:
    """One pod object; its runs are those of one container."""

    def __init__(self, role, index, generation):
        self.role = role
        self.index = index
        self.name = f"{NAME}-{role}-{index}"
        self.uid = f"uid-{self.name}-{generation}"
        self.runs = []
        self.scheduled = False
        self.reported = 0  # runs that the status knows of
        self.phase = "Pending"

    def container_status(self):
        status = {"name": "pytorch", "restartCount": max(0, self.reported - 1), "ready": False}
        if not self.reported:
            return {**status, "state": {"waiting": {"reason": "ContainerCreating"}}}
        run = self.runs[self.reported - 1]
        if self.reported > 1:
            status["lastState"] = {"terminated": self.terminated(self.runs[self.reported - 2])}
        started = {"startedAt": second_text(run.started)}
        state = {"running": started} if run.finished is None else {"terminated": self.terminated(run)}
        return {**status, "containerID": run.container_id, "state": state}

    @staticmethod
    def terminated(run):
        return {"exitCode": run.exit_code, "reason": "Error" if run.exit_code else "Completed", "containerID": run.container_id,
                "startedAt": second_text(run.started), "finishedAt": second_text(run.finished)}

    def to_json(self):
        status = {"phase": self.phase, "startTime": BEGUN}
        if self.scheduled:
            status["containerStatuses"] = [self.container_status()]
        return {
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": self.name, "namespace": "default", "uid": self.uid, "creationTimestamp": BEGUN,
                "labels": {LABEL + "job-name": NAME, LABEL + "operator-name": "pytorchjob-controller",
                           LABEL + "replica-type": self.role, LABEL + "replica-index": str(self.index)},
                "ownerReferences": [{**JOB_KIND, "name": NAME, "uid": "uid-" + NAME, "controller": True}]},
            "spec": {**({"nodeName": "node-a"} if self.scheduled else {}), "restartPolicy": "OnFailure",
                     "containers": [{"name": "pytorch", "image": "registry/train:1"}]},
            "status": status}


class Cluster:
    def __init__(self, seed, replicas, cuts):
        self.seed = seed
        self.chance = random.Random(f"cluster {seed}")
        self.replicas = replicas
        self.fails = self.chance.random() < 0.5  # the verdict
        self.version = 10
        self.history = []  # (version, collection, type, object), for watches
        self.pods = {}  # by name
        self.shown = {}  # name -> the pod object as it was sent last
        self.runs = {}  # all runs of a replica, in order
        self.left = {}  # cuts a replica still has before it
        self.conditions = []
        for number in range(replicas):
            self.left[self.role(number)] = cuts // replicas + (number < cuts % replicas)
        self.lives = []
        self.printed = lambda: b""  # what the follower has said so far
        self.over = 0  # replicas that have ended

    @staticmethod
    def role(number):
        return f"worker-{number - 1}" if number else "master-0"

    def has_printed(self, text):
        return self.printed().rfind(text.encode()) >= 0

    def job(self):
        job = copy.deepcopy(manifest(self.replicas))
        job["metadata"].update(namespace="default", uid="uid-" + NAME, creationTimestamp=BEGUN, resourceVersion=str(self.version))
        job["status"] = {"conditions": self.conditions}
        return job

    def emit(self, collection, kind, item):
        self.version += 1
        item["metadata"]["resourceVersion"] = str(self.version)
        self.history.append((self.version, collection, kind, item))

    def condition(self, kind, message):
        for one in self.conditions:
            if one["type"] == "Running":
                one["status"] = "False"
        self.conditions = [*copy.deepcopy(self.conditions), {
            "type": kind, "status": "True", "reason": "PyTorchJob" + kind, "message": message, "lastTransitionTime": BEGUN}]
        self.emit("pytorchjobs", "MODIFIED", self.job())

    def tell_pod(self, pod, kind="MODIFIED"):
        shown = pod.to_json()
        self.emit("pods", kind, shown)
        if kind == "DELETED":
            del self.shown[pod.name], self.pods[pod.name]
        else:
            self.shown[pod.name] = shown

    def begin(self):
        if not self.lives:
            self.condition("Created", "created")
            self.lives = [asyncio.ensure_future(self.run_all())]

    async def run_all(self):
        await asyncio.gather(*(self.live(self.role(number), number) for number in range(self.replicas)))
        await asyncio.sleep(self.chance.choice((0.0, 0.3, 1.0)))
        self.condition("Failed" if self.fails else "Succeeded", f"PyTorchJob {NAME} is over.")

    async def live(self, replica, number):
        """A replica's pods and their container's runs, one after the other."""
        chance = random.Random(f"{self.seed} {replica}")
        role, index = replica.split("-")
        skew = chance.choice((0, 0, -7200, 3600)) * 10**9
        ends = [chance.choice(("restart", "replace")) for _ in range(chance.choice((0, 0, 1, 2)))]
        cuts = self.left[replica]
        pod = await self.new_pod(role, int(index), 0, chance)
        if number == 1:
            self.condition("Running", "running")
        for attempt in range(1, len(ends) + 2):
            await self.settled(pod.runs[:-1])  # only the run before the new one stays readable
            run = new_run(replica, attempt, skew, self.seed)
            self.runs.setdefault(replica, []).append(run)
            pod.runs.append(run)
            await self.work(pod, run, cuts * (len(ends) + 1 - attempt) // (len(ends) + 1), chance)
            last = attempt > len(ends)
            await self.finish(pod, run, last, number)
            await self.end_of_run(pod, last, chance)
            if not last and ends[attempt - 1] == "replace":
                await self.settled(pod.runs)
                self.tell_pod(pod, "DELETED")
                pod = await self.new_pod(role, int(index), attempt, chance)

    async def work(self, pod, run, remain, chance):
        work = asyncio.ensure_future(run.work(lambda: self.left[run.replica] <= remain))
        await asyncio.sleep(chance.choice((0.02, 0.1, 0.3)))  # a status follows what happened
        pod.reported = len(pod.runs)
        pod.phase = "Running"
        self.tell_pod(pod)
        await work

    async def finish(self, pod, run, last, number):
        """The replica that fails the job is the last to end, or the others' lines were not owed."""
        culprit = last and self.fails and number == self.replicas - 1
        while culprit and self.over < self.replicas - 1:
            await asyncio.sleep(0.03)
        run.finish(3 if culprit else 0 if last else 1)
        if last:
            self.over += 1
            pod.phase = "Failed" if culprit else "Succeeded"

    async def end_of_run(self, pod, last, chance):
        await asyncio.sleep(chance.choice((0.02, 0.1, 0.3)))
        if last or chance.random() < 0.6:  # else restarted before its status was sent
            self.tell_pod(pod)
        await asyncio.sleep(chance.choice((0.02, 0.5)) if last else RELIST)

    async def new_pod(self, role, index, generation, chance):
        pod = Pod(role, index, generation)
        await asyncio.sleep(chance.random() / 2)
        self.pods[pod.name] = pod
        self.tell_pod(pod, "ADDED")
        await asyncio.sleep(chance.random() / 2)
        pod.scheduled = True
        self.tell_pod(pod)
        await asyncio.sleep(chance.random() / 2)
        return pod

    async def settled(self, runs):
        """What the node deletes unread is lost: it waits until it was printed."""
        for _ in range(6000):
            if all(self.has_printed(run.last_text()) for run in runs):
                return
            await asyncio.sleep(0.1)
