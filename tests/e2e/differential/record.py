"""record.py KUBECONFIG FILE [CASE…]: runs the cases on one cluster, several at a time, and writes what each left behind.

trainctl and kubectl are found on the PATH. A case has a namespace of its own, which bears its name, so that
both clusters show the same names. Everything is recorded as the API gave it; comparing is compare.py's business.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

import cases
import pods
from api import Cluster
from questions import answers

LIMIT = 150  # seconds a case may take
PARALLEL = 12
PLURALS = {"PyTorchJob": "pytorchjobs", "TFJob": "tfjobs", "XGBoostJob": "xgboostjobs", "PaddleJob": "paddlejobs",
           "JAXJob": "jaxjobs", "MPIJob": "mpijobs"}
WATCHED = ("pods", "services", "events")
TRACES = ("configmaps", "secrets", "serviceaccounts", "persistentvolumeclaims")
BROUGHT_BY_CLUSTER = {("configmaps", "kube-root-ca.crt"), ("serviceaccounts", "default")}


def condition_list(job):
    return [f"{c['type']}={c['status']} {c.get('reason')}" for c in job.get("status", {}).get("conditions", [])]


class View:
    """What is known of a running case: its objects as the watches report them."""

    def __init__(self, cluster, case):
        self.cluster = cluster
        self.case = case
        self.namespace = "d-" + case["name"]
        self.name = case["manifest"]["metadata"]["name"]
        self.everything = {plural: {} for plural in WATCHED}  # uid → last state seen
        self.living = {plural: set() for plural in WATCHED}
        self.job = None
        self.last_job = None
        self.history = []
        self.phases = {}
        self.begin = self.changed = time.monotonic()

    @property
    def seen_job(self):
        return self.last_job is not None

    def job_path(self):
        return f"/apis/kubeflow.org/v1/namespaces/{self.namespace}/{PLURALS[self.case['manifest']['kind']]}/{self.name}"

    def job_changed(self, kind, thing):
        if thing["metadata"]["name"] != self.name:
            return
        self.changed = time.monotonic()
        self.last_job = thing
        self.job = None if kind == "DELETED" else thing
        state = condition_list(thing) + (["gone"] if self.job is None else [])
        if not self.history or self.history[-1] != state:
            self.history.append(state)

    def taker(self, plural):
        def changed(kind, thing):
            uid = thing["metadata"]["uid"]
            self.everything[plural][uid] = thing
            (self.living[plural].discard if kind == "DELETED" else self.living[plural].add)(uid)
            self.changed = time.monotonic()
            if plural == "pods":
                phases = self.phases.setdefault(uid, [])
                if not phases or phases[-1] != thing["status"].get("phase"):
                    phases.append(thing["status"].get("phase"))
        return changed

    def condition(self, kind):
        conditions = (self.job or {}).get("status", {}).get("conditions", [])
        return any(c["type"] == kind and c["status"] == "True" for c in conditions)

    def pods(self):
        return [self.everything["pods"][uid] for uid in list(self.living["pods"])]

    def events(self):
        return list(self.everything["events"].values())

    def idle(self):
        return time.monotonic() - self.changed

    def is_cleaned_up(self):
        return not any("deletionTimestamp" in pod["metadata"] for pod in self.pods())

    def age(self):
        return time.monotonic() - self.begin

    def log(self, name):
        return self.cluster.request("GET", f"/api/v1/namespaces/{self.namespace}/pods/{name}/log")[2].decode("utf-8", "replace")


def submitted_job(view, case, process):
    """Waits for trainctl's job, and creates it ourselves when trainctl refuses to: what would the cluster have said?"""
    while not view.seen_job:
        if process.poll():
            create(view.cluster, view.namespace, case["manifest"])
            return
        time.sleep(0.05)


def create(cluster, namespace, thing):
    group, plural = ("/api/v1", thing["kind"].lower() + "s")
    if thing["apiVersion"] != "v1":
        group, plural = "/apis/" + thing["apiVersion"], PLURALS[thing["kind"]]
    code, _, body = cluster.request("POST", f"{group}/namespaces/{namespace}/{plural}", thing)
    if code not in (201, 409):  # it may be there, and our watch late
        raise RuntimeError(f"create {thing['kind']}: {code} {body[:300]!r}")


def logs_of(cluster, pod):
    """Container → the answer of its log, as text that keeps every byte."""
    base = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}/log"
    found = {}
    for container in pod["spec"].get("initContainers", []) + pod["spec"]["containers"]:
        code, _, body = cluster.request("GET", f"{base}?container={container['name']}")
        found[container["name"]] = {"code": code, "body": body.decode("utf-8", "backslashreplace")}
    return found


def until_quiet(view, case):
    """Does the steps and waits; what was still missing when the time was over, or None."""
    waits = [(f"step {number}", when, action) for number, (when, action) in enumerate(case["steps"], 1)]
    for name, when, action in [*waits, ("the end", case["until"], lambda view: None)]:
        while not when(view):
            if view.age() > LIMIT:
                return name
            time.sleep(0.05)
        action(view)
    settled = time.monotonic()
    while time.monotonic() - settled < 4 * case["quiet"] + 2:
        if min(view.idle(), time.monotonic() - settled) >= case["quiet"] and view.is_cleaned_up():
            break
        time.sleep(0.05)
    return None


def trainctl(view, words):
    environment = dict(os.environ, KUBECONFIG=view.cluster.kubeconfig)
    return subprocess.Popen(["trainctl", *words, "-n", view.namespace], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment, text=True, errors="replace")


def said(process, kill_after):
    """A command's exit status and last words; the status of one that would not end is null."""
    try:
        out, err = process.communicate(timeout=kill_after)
        return {"exit": process.returncode, "stdout": out, "stderr": err}
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {"exit": None}


def run_case(cluster, case):
    view = View(cluster, case)
    cluster.make_namespace(view.namespace)
    for thing in case["objects"]:
        create(cluster, view.namespace, thing)
    stop = threading.Event()
    for plural in WATCHED:
        cluster.watch(f"/api/v1/namespaces/{view.namespace}/{plural}", view.taker(plural), stop)
    cluster.watch(os.path.dirname(view.job_path()), view.job_changed, stop)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(case["manifest"], file)
        file.flush()
        view.begin = time.monotonic()
        submit = trainctl(view, ["submit", "-f", file.name, "--no-check", *case["trainctl"]])
        for thing in case["also"]:
            while not view.pods() and view.age() < LIMIT:
                time.sleep(0.05)
            create(cluster, view.namespace, thing)
        submitted_job(view, case, submit)
        missing = until_quiet(view, case)
        submitted = said(submit, 0 if case["moving"] else 60)
    stop.set()
    report = said(trainctl(view, ["get", view.name, "-o", "json"]), 60)
    record = {
        "seconds": round(view.age()), "missing": missing, "moving": case["moving"], "submit": submitted, "report": report, "history": list(view.history), "job": view.last_job, "job_gone": view.job is None,
        "phases": [[view.everything["pods"][uid]["metadata"]["name"], phases] for uid, phases in view.phases.items()],
        "logs": {pod["metadata"]["name"]: logs_of(cluster, pod) for pod in view.pods()}}
    for plural in WATCHED:
        record[plural] = [dict(thing, gone=uid not in view.living[plural]) for uid, thing in view.everything[plural].items()]
    for plural in TRACES:
        listed = cluster.get(f"/api/v1/namespaces/{view.namespace}/{plural}")["items"]
        record[plural] = [thing for thing in listed if (plural, thing["metadata"]["name"]) not in BROUGHT_BY_CLUSTER]
    copy = json.loads(json.dumps(record))  # before the end of the namespace becomes a part of the story
    cluster.request("DELETE", f"/api/v1/namespaces/{view.namespace}")
    return copy


def write(records):
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(records, file, indent=1, sort_keys=True)


def main():
    cluster = Cluster(sys.argv[1])
    chosen = [case for case in cases.ALL + pods.ALL if not sys.argv[3:] or any(re.fullmatch(name, case["name"]) for name in sys.argv[3:])]
    records = {}
    with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
        running = {pool.submit(run_case, cluster, case): case["name"] for case in chosen}
        if not sys.argv[3:] or "requests" in sys.argv[3:]:
            running[pool.submit(answers, cluster)] = "requests"  # last: they ask for versions long gone
        for done in concurrent.futures.as_completed(running):
            name = running[done]
            try:
                records[name] = done.result()
            except Exception as error:  # pylint: disable=broad-except # one case must not hide the others
                records[name] = {"broken": f"{type(error).__name__}: {error}"}
            trouble = records[name].get("broken") or records[name].get("missing")
            print(f"{len(records)}/{len(running)} {name} {records[name].get('seconds')} s" + (f": {trouble}" if trouble else ""),
                  file=sys.stderr, flush=True)
    write(records)


if __name__ == "__main__":
    main()
