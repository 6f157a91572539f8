"""The API server of a chaos run: lists, watches and logs as the real one gives them, broken by faults."""
import asyncio
import datetime
import time
import json
import urllib.parse

from chaos.faults import Faults, fault_of_request, fault_of_stream
from httpd.connection import Site

TICK = 0.02


def status(code, message, reason=""):
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message}


def refuse(stream, code, message, headers=()):
    stream.answer(code, json.dumps(status(code, message)).encode(), [("content-type", "application/json"), *headers])


def since_nanoseconds(query):
    """As the API server passes it on: cut to the second."""
    if "sinceSeconds" in query:
        return time.time_ns() - int(query["sinceSeconds"]) * 10**9
    if "sinceTime" not in query:
        return 0
    text = query["sinceTime"].replace("Z", "+00:00")
    when = datetime.datetime.fromisoformat(text[:19] + (text[-6:] if text[-6] in "+-" else ""))
    return int(when.timestamp()) * 10**9


class ChaosServer(Site):
    def __init__(self, cluster, chance, **options):
        super().__init__(self.answer, **options)
        self.cluster = cluster
        self.faults = Faults(cluster, chance)
        self.running = set()
        self.trouble = []

    def script(self, exchanges):
        """Nothing is scripted here."""

    def answer(self, stream):
        task = asyncio.get_running_loop().create_task(self.play(stream))
        self.running.add(task)
        task.add_done_callback(self.played)

    def played(self, task):
        self.running.discard(task)
        if not task.cancelled() and task.exception():
            self.trouble.append(repr(task.exception()))

    def unused(self):
        return []

    async def stop(self):
        for task in [*self.running, *self.cluster.lives]:
            task.cancel()
        for connection in self.connections:
            connection.close()

    async def play(self, stream):
        target = urllib.parse.urlsplit(stream.path)
        query = dict(urllib.parse.parse_qsl(target.query))
        parts = target.path.strip("/").split("/")
        if not self.faults.knows(dict((name.lower(), value) for name, value in stream.headers).get("authorization", "")):
            refuse(stream, 401, "Unauthorized")
        elif stream.method == "POST":
            self.cluster.begin()
            self.send(stream, self.cluster.job(), 201)
        elif parts[-1] == "log":
            await self.log(stream, parts[-2], query)
        elif query.get("watch") == "true":
            await self.watch(stream, parts[-1], int(query.get("resourceVersion") or 0))
        elif parts[-1] in ("pytorchjobs", "pods", "events"):
            self.list(stream, parts[-1], query)
        elif parts[-2:] == ["pytorchjobs", "ddp"] and self.cluster.lives:
            self.send(stream, self.cluster.job())
        else:
            refuse(stream, 404, f"{parts[-1]} not found")

    @staticmethod
    def send(stream, reply, code=200):
        stream.answer(code, json.dumps(reply).encode(), [("content-type", "application/json")])

    def list(self, stream, collection, query):
        name = query.get("fieldSelector", "").removeprefix("metadata.name=")
        items = []
        if collection == "pytorchjobs" and self.cluster.lives:
            items = [self.cluster.job()]
        elif collection == "pods":
            items = [pod for pod in self.cluster.shown.values() if name in ("", pod["metadata"]["name"])]
        self.send(stream, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": str(self.cluster.version)}, "items": items})

    async def watch(self, stream, collection, version):
        stream.head(200, [("content-type", "application/json")])
        if self.faults.forgets():
            stream.data(json.dumps({"type": "ERROR", "object": status(410, "too old resource version", "Expired")}).encode() + b"\n")
            stream.end()
            return
        at = 0
        while not stream.gone:
            history = self.cluster.history
            for number, kept, kind, item in history[at:]:
                if number > version and kept == collection:
                    stream.data(json.dumps({"type": kind, "object": item}).encode() + b"\n")
            at = len(history)
            await asyncio.sleep(TICK)

    async def log(self, stream, name, query):
        pod = self.cluster.pods.get(name)
        if pod is None:
            refuse(stream, 404, f'pods "{name}" not found')
            return
        replica = f"{pod.role}-{pod.index}"
        if await fault_of_request(self.faults, stream, replica):
            return
        if not pod.scheduled:
            stream.head(204)
            stream.end()
        elif not pod.runs:
            refuse(stream, 400, f'container "pytorch" in pod "{name}" is waiting to start: ContainerCreating')
        elif query.get("previous") != "true":
            await self.send_log(stream, pod, pod.runs[-1], query)
        elif len(pod.runs) > 1:
            await self.send_log(stream, pod, pod.runs[-2], query)
        else:
            refuse(stream, 400, f'previous terminated container "pytorch" in pod "{name}" not found')

    async def send_log(self, stream, pod, run, query):
        stream.head(200, [("content-type", "text/plain")])
        since = since_nanoseconds(query)
        follow = query.get("follow") == "true"
        at = run.first
        if "tailLines" in query:
            at = max(at, len(run.records) - int(query["tailLines"]))
        fault = fault_of_stream(self.faults, run)
        while not stream.gone:
            records = [record for record in run.records[at:] if record.stamp >= since]
            at = len(run.records)
            if fault is None:
                stream.data(b"".join(record.sent() for record in records))
            else:
                if await fault.strikes(stream, records):
                    return
            if not follow or (run.finished is not None and at == len(run.records)):
                break
            await asyncio.sleep(TICK)
        if follow:
            await asyncio.sleep(self.faults.chance.random() / 2)  # the kubelet looks now and then
        if fault is not None and await fault.late(stream):
            return
        stream.end()
