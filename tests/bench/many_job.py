"""The job of many_logs.py as an API server's files: one master, many workers, each a pod of its usual size."""

import json
import pathlib

START = "2026-01-02T00:00:00Z"
PAGE = 500  # what clients ask a list for at once
CORE = "api/v1/namespaces/default"
JOBS = "apis/kubeflow.org/v1/namespaces/default/pytorchjobs"
IMAGE = "registry.example.org/team/project/training-image:2026.01.02-cuda12"
ENVIRONMENT = {
    "PYTHONUNBUFFERED": "1", "MASTER_PORT": "23456", "PET_MASTER_PORT": "23456", "MASTER_ADDR": "ddp-master-0",
    "PET_MASTER_ADDR": "ddp-master-0", "WORLD_SIZE": "1000", "PET_NNODES": "1000", "NCCL_DEBUG": "WARN",
    "NCCL_SOCKET_IFNAME": "eth0", "OMP_NUM_THREADS": "8", "TORCH_DISTRIBUTED_DEBUG": "OFF", "WANDB_MODE": "offline"}
# What kubectl asks for before it lists pods.
V1 = {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
    {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list", "watch"]},
    {"name": "pods/log", "singularName": "", "namespaced": True, "kind": "Pod", "verbs": ["get"]}]}


def list_of(kind, items, **metadata):
    return {"kind": kind, "apiVersion": "v1", "metadata": {"resourceVersion": "9", **metadata}, "items": items}


def job_of(replicas):
    template = {"spec": {"containers": [{"name": "pytorch", "image": IMAGE}]}}
    return {
        "apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob",
        "metadata": {"name": "ddp", "namespace": "default", "uid": "job", "resourceVersion": "5",
                     "creationTimestamp": START},
        "spec": {"pytorchReplicaSpecs": {"Master": {"replicas": 1, "template": template},
                                         "Worker": {"replicas": replicas - 1, "template": template}}},
        "status": {"conditions": [{"type": "Running", "status": "True", "lastTransitionTime": START}]}}


def managed_fields(environment):
    """Who wrote which field: the larger half of a pod as servers send it."""
    container = {f'k:{{"name":"{name}"}}': {".": {}, "f:name": {}, "f:value": {}} for name in environment}
    spec = {"f:containers": {'k:{"name":"pytorch"}': {
        ".": {}, "f:command": {}, "f:image": {}, "f:imagePullPolicy": {}, "f:name": {}, "f:resources": {},
        "f:terminationMessagePath": {}, "f:env": {".": {}, **container}}},
        "f:dnsPolicy": {}, "f:restartPolicy": {}, "f:schedulerName": {}, "f:terminationGracePeriodSeconds": {}}
    conditions = {f'k:{{"type":"{kind}"}}': {".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {},
                                             "f:type": {}} for kind in ("ContainersReady", "Initialized", "Ready")}
    return [{"manager": manager, "operation": "Update", "apiVersion": "v1", "time": START, "fieldsType": "FieldsV1",
             "fieldsV1": fields} for manager, fields in
            (("training-operator", {"f:spec": spec}), ("kubelet", {"f:status": {"f:conditions": conditions}}))]


def pod_of(number):
    role, index = ("worker", number - 1) if number else ("master", 0)
    environment = {**ENVIRONMENT, "RANK": str(number), "PET_NODE_RANK": str(number)}
    labels = {f"training.kubeflow.org/{key}": value for key, value in (
        ("job-name", "ddp"), ("operator-name", "pytorchjob-controller"), ("replica-type", role),
        ("replica-index", str(index)))}
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": f"ddp-{role}-{index}", "namespace": "default", "uid": f"00000000-0000-4000-8000-{number:012}",
            "resourceVersion": str(100000 + number), "creationTimestamp": START, "labels": labels,
            "ownerReferences": [{"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "ddp", "uid": "job",
                                 "controller": True, "blockOwnerDeletion": True}],
            "managedFields": managed_fields(environment)},
        "spec": {
            "nodeName": f"node-{number // 8}", "restartPolicy": "Never", "serviceAccountName": "default",
            "containers": [{
                "name": "pytorch", "image": IMAGE, "command": ["python", "/workspace/train.py", "--epochs", "100"],
                "env": [{"name": name, "value": value} for name, value in environment.items()],
                "resources": {"limits": {"nvidia.com/gpu": "8"}, "requests": {"nvidia.com/gpu": "8"}},
                "ports": [{"name": "pytorchjob-port", "containerPort": 23456, "protocol": "TCP"}],
                "volumeMounts": [{"name": "kube-api-access-x2b4q", "readOnly": True,
                                  "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]}],
            "tolerations": [{"key": f"node.kubernetes.io/{what}", "operator": "Exists", "effect": "NoExecute",
                             "tolerationSeconds": 300} for what in ("not-ready", "unreachable")]},
        "status": {
            "phase": "Running", "podIP": "10.0.0.1", "startTime": START,
            "conditions": [{"type": kind, "status": "True", "lastTransitionTime": START}
                           for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")],
            "containerStatuses": [{
                "name": "pytorch", "restartCount": 0, "containerID": f"containerd://{number:064}", "image": IMAGE,
                "ready": True, "started": True, "state": {"running": {"startedAt": START}}}]}}


def write_objects(folder, replicas):
    """The files below folder; a list's next page has the continue token in its name."""
    job, pods = job_of(replicas), [pod_of(number) for number in range(replicas)]
    files = {"api": {"kind": "APIVersions", "versions": ["v1"]}, "api/v1": V1,
             "apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
             f"{CORE}/events": list_of("EventList", []), JOBS: list_of("PyTorchJobList", [job]), f"{JOBS}/ddp": job}
    for start in range(0, replicas, PAGE):
        rest = {"continue": str(start + PAGE)} if start + PAGE < replicas else {}
        files[f"{CORE}/pods{start or ''}"] = list_of("PodList", pods[start:start + PAGE], **rest)
    files.update({f"{CORE}/pods/{pod['metadata']['name']}": pod for pod in pods})
    for path, answer in files.items():
        place = pathlib.Path(folder, f"{path}.json")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(answer), encoding="utf-8")
