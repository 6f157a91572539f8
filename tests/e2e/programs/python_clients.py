"""Uses the embedded cluster with the clients that PyPI has, each in the way its documentation shows.

Usage: python_clients.py [CLIENT...]. Each client lists, watches, creates and patches, and does what else it can:
logs, exec, port-forward.
"""
import socket
import sys

import kr8s
import lightkube
from kr8s.objects import ConfigMap as Kr8sConfigMap
from kr8s.objects import Pod as Kr8sPod
from kubernetes import client, config, stream, watch
from kubeflow.training import TrainingClient, KubeflowOrgV1PyTorchJob, KubeflowOrgV1PyTorchJobSpec, KubeflowOrgV1ReplicaSpec
from lightkube.models.core_v1 import Container, PodSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import ConfigMap, Pod

NAMESPACE = "default"
# Prints the port that it has got, then answers each line in capitals.
SERVER = """
import socketserver
class Shout(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(self.rfile.readline().upper())
server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Shout)
print(server.server_address[1], flush=True)
server.serve_forever()
"""
COMMAND = ["python3", "-c", SERVER]
QUESTION = ["sh", "-c", "echo out; echo err >&2; exit 7"]


def check(found, expected):
    assert found == expected, f"{found!r}, expected {expected!r}"


def check_shout(connection):
    connection.sendall(b"hello\n")
    check(connection.recv(100), b"HELLO\n")


def pod_manifest(name):
    container = {"name": "main", "image": "any", "command": COMMAND}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}}


def use_kubernetes():
    core = client.CoreV1Api()
    core.create_namespaced_pod(NAMESPACE, pod_manifest("kubernetes"))
    watching = watch.Watch()
    for event in watching.stream(core.list_namespaced_pod, NAMESPACE, field_selector="metadata.name=kubernetes"):
        if event["object"].status.phase == "Running":
            watching.stop()
    core.patch_namespaced_pod("kubernetes", NAMESPACE, {"metadata": {"labels": {"patched": "yes"}}})
    check([pod.metadata.name for pod in core.list_namespaced_pod(NAMESPACE, label_selector="patched=yes").items], ["kubernetes"])
    lines = watch.Watch().stream(core.read_namespaced_pod_log, "kubernetes", NAMESPACE)
    port = int(next(iter(lines)))
    answer = stream.stream(
        core.connect_get_namespaced_pod_exec, "kubernetes", NAMESPACE, command=QUESTION, stdout=True, stderr=True,
        stdin=False, tty=False, _preload_content=False)
    answer.run_forever(timeout=30)
    check((answer.read_stdout(), answer.read_stderr(), answer.returncode), ("out\n", "err\n", 7))
    forward = stream.portforward(core.connect_get_namespaced_pod_portforward, "kubernetes", NAMESPACE, ports=str(port))
    connection = forward.socket(port)
    connection.setblocking(True)
    check_shout(connection)
    review = client.V1SelfSubjectAccessReview(spec=client.V1SelfSubjectAccessReviewSpec(
        resource_attributes=client.V1ResourceAttributes(verb="create", resource="pods")))
    assert client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed
    core.delete_namespaced_pod("kubernetes", NAMESPACE)


def use_training():
    training = TrainingClient()
    container = client.V1Container(name="pytorch", image="any", command=["echo", "trained"])
    template = client.V1PodTemplateSpec(spec=client.V1PodSpec(containers=[container]))
    replica = KubeflowOrgV1ReplicaSpec(replicas=1, restart_policy="Never", template=template)
    job = KubeflowOrgV1PyTorchJob(
        api_version="kubeflow.org/v1", kind="PyTorchJob", metadata=client.V1ObjectMeta(name="training"),
        spec=KubeflowOrgV1PyTorchJobSpec(run_policy={"cleanPodPolicy": "None"}, pytorch_replica_specs={"Master": replica}))
    training.create_job(job, namespace=NAMESPACE)
    training.wait_for_job_conditions("training", NAMESPACE, polling_interval=1)
    logs, _ = training.get_job_logs("training", NAMESPACE)
    check(list(logs.values()), ["trained\n"])
    check([found.metadata.name for found in training.list_jobs(NAMESPACE)], ["training"])
    found = training.get_job("training", NAMESPACE)
    found.metadata.labels = {"patched": "yes"}
    training.update_job(found, "training", NAMESPACE)
    check(training.get_job("training", NAMESPACE).metadata.labels["patched"], "yes")
    training.delete_job("training", NAMESPACE)


def use_kr8s():
    pod = Kr8sPod(pod_manifest("kr8s"))
    pod.create()
    pod.wait("jsonpath='{.status.phase}'=Running", timeout=60)
    pod.label(patched="yes")
    check([found.name for found in kr8s.get("pods", namespace=NAMESPACE, label_selector="patched=yes")], ["kr8s"])
    port = int(next(iter(pod.logs(follow=True))))
    answer = pod.exec(QUESTION, check=False)
    check((answer.stdout, answer.stderr, answer.returncode), (b"out\n", b"err\n", 7))
    with pod.portforward(remote_port=port, local_port="auto") as local:
        with socket.create_connection(("127.0.0.1", local)) as connection:
            check_shout(connection)
    config_map = Kr8sConfigMap({"metadata": {"name": "kr8s"}, "data": {"a": "1"}})
    config_map.create()
    for kind, found in kr8s.watch("configmaps", namespace=NAMESPACE):
        if found.name == "kr8s":
            check((kind, found.data.a), ("ADDED", "1"))
            break
    config_map.delete()
    pod.delete()


def use_lightkube():
    api = lightkube.Client(namespace=NAMESPACE)
    container = Container(name="main", image="any", command=COMMAND)
    api.create(Pod(metadata=ObjectMeta(name="lightkube"), spec=PodSpec(containers=[container])))
    for _, pod in api.watch(Pod, fields={"metadata.name": "lightkube"}):
        if pod.status.phase == "Running":
            break
    api.patch(Pod, "lightkube", {"metadata": {"labels": {"patched": "yes"}}})
    check([pod.metadata.name for pod in api.list(Pod, labels={"patched": "yes"})], ["lightkube"])
    assert next(iter(api.log("lightkube", follow=True))).strip().isdigit()
    answer = api.exec("lightkube", command=["cat"], stdin="in\n", stdout=True)
    check((answer.stdout, answer.exit_code), ("in\n", 0))
    answer = api.exec("lightkube", command=QUESTION, stdout=True, stderr=True)
    check((answer.stdout, answer.stderr, answer.exit_code), ("out\n", "err\n", 7))
    try:
        api.apply(ConfigMap(metadata=ObjectMeta(name="lightkube"), data={"a": "1"}), field_manager="me")
    except lightkube.ApiError as error:
        check(error.status.code, 415)
        assert "merge-patch" in error.status.message, error.status.message
    else:
        sys.exit("server-side apply was not refused")
    api.delete(Pod, "lightkube")


CLIENTS = {"kubernetes": use_kubernetes, "kubeflow-training": use_training, "kr8s": use_kr8s, "lightkube": use_lightkube}


def main():
    config.load_kube_config()
    for name in sys.argv[1:] or CLIENTS:
        CLIENTS[name]()
        print(f"{name} works")


main()
