"""The job of a chaos run on the real cluster: its replicas and their orders, its daemons, and the tokens that trainctl comes with."""
import asyncio
import contextlib
import datetime
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "chaos"
ACCOUNT = "trainer"
LIFETIME = 20  # seconds for which a token is said to be good
SETTLE = 150  # seconds for the replicas to come back and to end
RESTART = ("env", f"TRAINCTL_E2E_CACHE={os.environ['E2E_CACHE']}", f"TRAINCTL_E2E_DIR={os.environ['CLUSTER']}",
           os.path.join(os.path.dirname(HERE), "cluster/restart"))
READY = ("kubectl", "get", "--raw", "/readyz")
# The share of requests after which the API server ends the connection.
GOAWAY = "--goaway-chance=0.02"


async def run(*words, text=None, unless="nothing"):
    """A command's output; failures are tried again, since they are what the run is about, but those that say `unless`."""
    if words[0] == "kubectl":
        words = ("kubectl", "--request-timeout=5s", *words[1:])
    for _ in range(60):
        process = await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        out, err = await process.communicate(text.encode() if text else b"")
        if process.returncode == 0 or unless in err.decode():
            return out.decode()
        await asyncio.sleep(0.5)
    raise RuntimeError(f"{' '.join(words)}: {err.decode()}")


def job(name, replicas, policy, container, *volumes):
    """Workers alone: beside a master they do not start before its name resolves, which takes minutes where CoreDNS, too, has lost its server."""
    worker = {"replicas": replicas, "restartPolicy": policy, "template": {"spec": {
        "terminationGracePeriodSeconds": 2, "containers": [container], "volumes": volumes}}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name}, "spec": {
        "runPolicy": {"cleanPodPolicy": "None", "backoffLimit": 10000}, "pytorchReplicaSpecs": {"Worker": worker}}}


class Replica:
    """A pod name, whichever pod has it, and what its program has written down."""

    def __init__(self, pod, state):
        self.pod = pod
        self.place = os.path.join(state, pod)
        self.orders = 0
        self.restarts = 0  # of the containers of the pod it has now
        self.ordered = {}  # run → words
        self.lost = {}  # run → why its log was deleted
        self.rotated = set()  # runs whose log the node has rotated

    @property
    def name(self):
        return self.pod.removeprefix(NAME + "-")

    def runs(self):
        with contextlib.suppress(OSError):
            with open(self.place + ".runs", encoding="utf-8") as file:
                return int(file.read())
        return 0

    def truth(self, number):
        """(lines written, "runs" or "exit CODE") of a run."""
        with contextlib.suppress(OSError):
            with open(f"{self.place}.{number}", encoding="utf-8") as file:
                count, _, state = file.read().partition(" ")
                return int(count), state.strip()
        return 0, "runs"

    def works(self):
        """It has begun, and nothing was done to it yet."""
        number = self.runs()
        return number > 0 and number not in self.ordered and number not in self.lost and self.truth(number)[0] > 0

    def order(self, what, number):
        self.orders += 1
        if number != "*":
            self.ordered[number] = what
        with open(self.place + ".part", "w", encoding="utf-8") as file:
            file.write(f"{self.orders} {number} {what}")
        os.rename(self.place + ".part", self.place + ".order")

    def leave(self, number):
        """The run is to end: the node keeps its log, and none of an earlier one."""
        if self.ordered.get(number - 1) == "exit 1":
            self.lost[number - 1] = "its container was started again twice"

    def ended(self, code):
        return self.truth(self.runs())[1] == f"exit {code}"


class Cluster:
    def __init__(self, state, replicas, in_place, folder):
        self.state = state
        self.folder = folder
        self.in_place = in_place  # replicas are started again in their pod, not with it
        self.replicas = [Replica(f"{NAME}-worker-{n}", state) for n in range(replicas)]
        self.restarting = asyncio.Lock()
        self.revoking = asyncio.Lock()
        self.goaway = False
        self.tokens = 0
        self.token = ""

    def manifest(self):
        container = {"name": "pytorch", "image": os.environ["TORCH"], "imagePullPolicy": "IfNotPresent", "command": ["python3", "/state/program.py"],
                     "volumeMounts": [{"name": "state", "mountPath": "/state"}]}
        volume = {"name": "state", "hostPath": {"path": self.state, "type": "Directory"}}
        return json.dumps(job(NAME, len(self.replicas), "OnFailure" if self.in_place else "ExitCode", container, volume))

    @staticmethod
    async def submit(file):
        await run("kubectl", "create", "-f", file, unless="exists")

    async def start(self, port):
        """A kubeconfig that leads through the path, and a credential that does not last."""
        await self.next_token()
        config = json.loads(await run("kubectl", "config", "view", "--minify", "--flatten", "-o", "json"))
        cluster = config["clusters"][0]["cluster"]
        self.server = cluster["server"].removeprefix("https://")
        cluster.update({"server": f"https://127.0.0.1:{port}", "tls-server-name": "kubernetes.default.svc"})
        config["users"][0]["user"] = {"exec": {
            "apiVersion": "client.authentication.k8s.io/v1", "command": "cat", "args": [self.credential()], "interactiveMode": "Never"}}
        with open(os.path.join(self.folder, "kubeconfig"), "w", encoding="utf-8") as file:
            json.dump(config, file)

    def credential(self):
        return os.path.join(self.folder, "credential")

    async def next_token(self):
        """A token lives as long as the secret that it is bound to."""
        self.tokens += 1
        secret = f"token-{self.tokens}"
        await run("kubectl", "create", "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": secret}}), unless="exists")
        self.token = (await run("kubectl", "create", "token", ACCOUNT, "--bound-object-kind=Secret", f"--bound-object-name={secret}")).strip()
        self.write_credential()

    def write_credential(self):
        expires = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=LIFETIME)
        credential = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                      "status": {"token": self.token, "expirationTimestamp": f"{expires:%Y-%m-%dT%H:%M:%SZ}"}}
        with open(self.credential() + ".part", "w", encoding="utf-8") as file:
            json.dump(credential, file)
        os.rename(self.credential() + ".part", self.credential())

    async def keep_credential(self):
        while True:
            self.write_credential()
            await asyncio.sleep(LIFETIME / 4)

    async def revoke(self):
        """One after the other, or the credential could be that of a secret that is gone."""
        async with self.revoking:
            old = self.tokens
            await self.next_token()
            await run("kubectl", "delete", "secret", f"token-{old}")

    async def restart(self, daemon, signal):
        async with self.restarting:
            if daemon == "kubelet":
                await run(*RESTART, daemon, signal)
                return
            self.goaway = True
            await run(*RESTART, daemon, signal, GOAWAY)
            await run(*READY)

    async def restore(self):
        """As `up` has left it, for whoever comes next: its daemons wait up to a minute before they look again for a lost server."""
        async with self.restarting:
            if self.goaway:
                await run(*RESTART, "kube-apiserver", "TERM")
                await run(*READY)
        await run("kubectl", "create", "-f", "-", text=json.dumps(job("after", 1, "Never", {
            "name": "pytorch", "image": os.environ["BUSYBOX"], "imagePullPolicy": "IfNotPresent", "command": ["true"]})), unless="exists")
        await run("kubectl", "wait", "--for=condition=Succeeded", "pytorchjob/after")

    async def evict(self, replica):
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": replica.pod}}
        path = f"/api/v1/namespaces/{os.environ['NAMESPACE']}/pods/{replica.pod}/eviction"
        await run("kubectl", "create", "--raw", path, "-f", "-", text=json.dumps(eviction), unless="not found")

    async def delete(self, replica):
        await run("kubectl", "delete", "pod", replica.pod, "--wait=false", unless="not found")

    async def until(self, what, done):
        deadline = asyncio.get_running_loop().time() + SETTLE
        while not done():
            if asyncio.get_running_loop().time() > deadline:
                raise RuntimeError(f"after {SETTLE} s still not: {what}")
            await asyncio.sleep(0.2)

    async def end(self, code):
        """One after all others, lest they be ended with it."""
        last, *workers = self.replicas
        for worker in workers:
            worker.leave(worker.runs())
            worker.order("exit 0", "*")
        for worker in workers:
            await self.until(f"{worker.name} has ended", lambda worker=worker: worker.ended(0))
        last.leave(last.runs())
        last.order(f"exit {code}", "*")
        await self.until("the last one has ended", lambda: last.ended(code))
