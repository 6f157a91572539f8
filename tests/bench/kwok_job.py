"""A job of many replicas on the real API server, whose pods run on a node of kwok: no machine has room for a thousand.

The operator leaves the job alone, since it says that another one manages it; the pods are as it would have made them.
Every container's log is the same file, to which a line is added each second.
"""

import json
import os
import pathlib
import subprocess
import threading
from time import monotonic, sleep, strftime, gmtime, time_ns

from many_job import job_of, pod_of

NAMESPACE = "many-logs"
NODE = "kwok"
PORT = 10347
CONFIG = pathlib.Path(__file__).parent / "kwok" / "config.yaml"
WATCHES = pathlib.Path("/proc/sys/fs/inotify/max_user_instances")
LINE = "epoch {:08} loss 0.1234567 lr 0.0010000 12345.6 samples/s gpu 0 mem 12345 MiB"


def kubectl(*words, manifest=None):
    done = subprocess.run(["kubectl", *words], input=json.dumps(manifest) if manifest else None, text=True, check=True,
                          stdout=subprocess.PIPE, timeout=300)
    return done.stdout


def await_true(what, condition, seconds=60):
    deadline = monotonic() + seconds
    while not condition():
        if monotonic() > deadline:
            raise TimeoutError(f"after {seconds} s still not: {what}")
        sleep(0.2)


class Log(threading.Thread):
    """The file that kwok reads, as a container runtime writes it."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path = path
        self.path.touch()
        self.over = threading.Event()
        self.start()

    def run(self):
        number = 0
        with open(self.path, "a", encoding="ascii") as file:
            while not self.over.wait(1):
                number += 1
                now = time_ns()
                file.write(f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(now // 10**9))}.{now % 10**9:09}Z stdout F "
                           f"{LINE.format(number)}\n")
                file.flush()


class KwokJob:
    """The job while the context lasts: PROGRAM is kwok, PKI the folder with the cluster's certificates."""

    def __init__(self, program, pki, replicas, folder):
        self.program = program
        self.pki = pathlib.Path(pki)
        self.replicas = replicas
        self.folder = folder
        self.kwok = None
        self.log = None
        self.watches = WATCHES.read_text(encoding="ascii")

    def __enter__(self):
        try:
            self.log = Log(self.folder / "log")
            WATCHES.write_text(str(self.replicas * 2), encoding="ascii")  # kwok takes one for each log it follows
            self.start_kwok()
            self.create_pods(self.create_job())
            await_true("every pod runs", self.all_run, 120)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.kwok:
            here = ("--namespace", NAMESPACE)
            subprocess.run(["kubectl", "delete", "pods", "--all", "--force", "--grace-period=0", "--wait=false", *here],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=False)
            for thing in (("node", NODE), ("namespace", NAMESPACE)):
                subprocess.run(["kubectl", "delete", "--ignore-not-found", *thing], stdout=subprocess.DEVNULL,
                               timeout=300, check=False)
            self.kwok.terminate()
            self.kwok.wait()
        if self.log:
            self.log.over.set()
            self.log.join()
        WATCHES.write_text(self.watches, encoding="ascii")

    def start_kwok(self):
        address = kubectl("get", "nodes", "-o", "jsonpath={.items[0].status.addresses[0].address}")
        config = self.folder / "kwok.yaml"
        config.write_text(CONFIG.read_text(encoding="utf-8").replace("LOG", str(self.folder / "log")), encoding="utf-8")
        with open(self.folder / "kwok.log", "wb") as output:
            self.kwok = subprocess.Popen([
                self.program, "--kubeconfig", os.environ["KUBECONFIG"], "--config", config, "--node-ip", address,
                "--node-port", str(PORT), "--server-address", f"{address}:{PORT}", "--manage-single-node", NODE,
                "--tls-cert-file", self.pki / "kubelet.crt", "--tls-private-key-file", self.pki / "kubelet.key"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        kubectl("create", "-f", "-", manifest={"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}})

    def create_job(self):
        kubectl("create", "namespace", NAMESPACE)
        await_true("the namespace has its service account", lambda: "default" in kubectl(
            "get", "serviceaccounts", "--namespace", NAMESPACE, "-o", "name"))
        job = job_of(self.replicas)
        status = job.pop("status")
        status["conditions"] = [{**one, "reason": "Running", "message": "all run"} for one in status["conditions"]]
        job["metadata"] = {"name": job["metadata"]["name"], "namespace": NAMESPACE}
        job["spec"]["runPolicy"] = {"managedBy": "kueue.x-k8s.io/multikueue"}
        made = json.loads(kubectl("create", "-f", "-", "-o", "json", manifest=job))
        kubectl("patch", "pytorchjob", made["metadata"]["name"], "--namespace", NAMESPACE, "--subresource=status",
                "--type=merge", "--patch", json.dumps({"status": status}))
        return made["metadata"]["uid"]

    def create_pods(self, job_uid):
        kubectl("create", "-f", "-", manifest={"apiVersion": "v1", "kind": "List", "items": [
            self.pod(number, job_uid) for number in range(self.replicas)]})

    @staticmethod
    def pod(number, job_uid):
        pod = pod_of(number)
        pod.pop("status")
        metadata = pod["metadata"]
        owner = {**metadata["ownerReferences"][0], "uid": job_uid}
        pod["metadata"] = {"name": metadata["name"], "namespace": NAMESPACE, "labels": metadata["labels"], "ownerReferences": [owner]}
        pod["spec"]["nodeName"] = NODE
        del pod["spec"]["containers"][0]["volumeMounts"]
        return pod

    def all_run(self):
        found = kubectl("get", "pods", "--namespace", NAMESPACE, "--field-selector", "status.phase=Running", "-o", "name")
        return len(found.split()) == self.replicas
