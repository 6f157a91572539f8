"""What a server answers where the case scripts nothing: one finished job `ddp` in a namespace that exists, else empty lists."""
import json

JOB = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "ddp", "namespace": "default", "uid": "uid-ddp", "resourceVersion": "5",
                 "creationTimestamp": "2026-01-02T03:00:05Z"},
    "spec": {"pytorchReplicaSpecs": {"Master": {"replicas": 1, "template": {"spec": {"containers": [
        {"name": "pytorch", "image": "registry/train:1"}]}}}},
        "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": 6}},
    "status": {"conditions": [{"type": "Succeeded", "status": "True", "reason": "PyTorchJobSucceeded",
                               "message": "ok", "lastTransitionTime": "2026-01-02T03:02:05Z"}]},
}


def status(code, reason, message):
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message}


def default_answer(seen):
    """An exchange for a request nobody scripted."""
    collection, name = ["", *seen.path.strip("/").split("/")][-2:]
    if ("watch", "true") in seen.query:
        return {"pieces": [], "end": "never-ending", "headers": {"content-type": "application/json"}}
    if seen.method == "POST" and name.endswith("jobs"):
        return {"status": 201, "reply": created(json.loads(seen.body))}
    if seen.method == "DELETE" and collection.endswith("jobs"):
        return {"reply": {"kind": "Status", "apiVersion": "v1", "status": "Success"}}
    if seen.method != "GET":
        return {"status": 404, "reply": status(404, "NotFound", f"{seen.method} of {seen.path} was not scripted")}
    if collection == "namespaces":
        return {"reply": {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": name}}}
    if collection == "pytorchjobs" and name == "ddp":
        return {"reply": JOB}
    if name in ("pods", "events") or name.endswith("jobs"):
        items = [JOB] if name == "pytorchjobs" else []
        return {"reply": {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": items}}
    return {"status": 404, "reply": status(404, "NotFound", f'{collection} "{name}" not found')}


def created(job):
    metadata = job.setdefault("metadata", {})
    metadata.setdefault("name", metadata.get("generateName", "") + "x1y2z")
    metadata.update(uid="uid-" + metadata["name"], resourceVersion="8", creationTimestamp="2026-01-02T03:04:05Z")
    return job
