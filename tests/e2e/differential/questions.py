"""Requests to the API server that both clusters must answer alike: refusals, patches, lists, tables, logs, discovery."""

import json
import time

from building import IMAGE, NO_CLEANING, case, job, role

SPACE = "d-requests"
JOBS = f"/apis/kubeflow.org/v1/namespaces/{SPACE}/pytorchjobs"
CORE = f"/api/v1/namespaces/{SPACE}"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
PARTIAL = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
PATCH = "application/json-patch+json"


def a_job(name="q", alias="pytorch", **changes):
    """A job that starts nothing, so that only the server's part of it is seen; changes are pointer → value, None removes."""
    made = job(alias, {"suspend": True, **NO_CLEANING}, Master=role("true"), Worker=role("true"))
    made["metadata"]["name"] = name
    for pointer, value in changes.items():
        change(made, pointer, value)
    return made


def change(thing, pointer, value):
    *way, last = [int(part) if part.isdigit() else part for part in pointer.strip("/").split("/")]
    for part in way:
        thing = thing[part] if isinstance(part, int) else thing.setdefault(part, {})
    if value is None:
        thing.pop(last, None)
    else:
        thing[last] = value


MASTER = "spec/pytorchReplicaSpecs/Master"
POD = f"{MASTER}/template/spec"
BOX = f"{POD}/containers/0"

# Name → pointers and values that make a job wrong, or odd.
SPOILED = {
    "wrong container name": {f"{BOX}/name": "main"},
    "no containers": {f"{POD}/containers": []},
    "containers absent": {f"{POD}/containers": None},
    "two faults": {f"{BOX}/name": "main", f"{MASTER}/replicas": 2},
    "two masters": {f"{MASTER}/replicas": 2},
    "master without count": {f"{MASTER}/replicas": None},
    "unknown role": {"spec/pytorchReplicaSpecs/master": role("true", name="pytorch")},
    "no spec": {"spec": None},
    "empty spec": {"spec": {}},
    "empty replicas": {"spec/pytorchReplicaSpecs": {}},
    "null replicas": {"spec/pytorchReplicaSpecs": []},
    "name with digit": {"metadata/name": "1a"},
    "name with dot": {"metadata/name": "a.b"},
    "name of 64": {"metadata/name": "n" * 64},
    "name with capitals": {"metadata/name": "A_B"},
    "name of 254": {"metadata/name": "n" * 254},
    "no name": {"metadata/name": None},
    "replicas text": {f"{MASTER}/replicas": "x"},
    "replicas negative": {"spec/pytorchReplicaSpecs/Worker/replicas": -1},
    "bad cpu": {f"{BOX}/resources": {"limits": {"cpu": "abc"}}},
    "bad memory": {f"{BOX}/resources": {"limits": {"memory": "1 Gi"}}},
    "odd quantities": {f"{BOX}/resources": {"limits": {"cpu": 1, "memory": "1e3"}, "requests": {"cpu": "1500m"}}},
    "env number": {f"{BOX}/env": [{"name": "A", "value": 1}]},
    "env without name": {f"{BOX}/env": [{"value": "x"}]},
    "command text": {f"{BOX}/command": "sh -c true"},
    "nproc number": {"spec/nprocPerNode": 2},
    "duplicate container": {f"{POD}/containers": [{"name": "pytorch", "image": IMAGE}, {"name": "pytorch", "image": IMAGE}]},
    "no image": {f"{BOX}/image": None},
    "bad label": {"metadata/labels": {"a": "b c"}},
    "bad label key": {"metadata/labels": {"a b": "c"}},
    "bad annotation key": {"metadata/annotations": {"a b": "c"}},
    "label number": {"metadata/labels": {"a": 1}},
    "long annotation": {"metadata/annotations": {"a": "x" * 263000}},
    "managed by x": {"spec/runPolicy/managedBy": "x"},
    "managed by kueue": {"spec/runPolicy/managedBy": "kueue.x-k8s.io/multikueue"},
    "elastic nproc": {"spec/elasticPolicy": {"nProcPerNode": 2}, f"{MASTER}": None},
    "both nproc": {"spec/elasticPolicy": {"nProcPerNode": 2}, "spec/nprocPerNode": "2", f"{MASTER}": None},
    "unknown fields": {"spec/cleanPodPolicy": "None", f"{BOX}/imag": "x", "spec/zz": {"a": 1}, "metadata/zz": 1},
    "wrong case": {f"{BOX}/ImagePullPolicy": "Always"},
    "creation null": {"metadata": {"name": "q", "creationTimestamp": None}, "status": {}},
    "template creation": {f"{MASTER}/template/metadata": {"creationTimestamp": None}},
    "bad suspend": {"spec/runPolicy/suspend": "yes"},
    "bad ttl": {"spec/runPolicy/ttlSecondsAfterFinished": 1.5},
    "odd restart": {f"{MASTER}/restartPolicy": "Foo"},
    "other namespace": {"metadata/namespace": "default"},
    "other kind": {"kind": "TFJob"},
    "other version": {"apiVersion": "kubeflow.org/v2"},
    "no kind": {"kind": None},
    "no version": {"apiVersion": None},
    "volume twice": {f"{POD}/volumes": [{"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}}]},
    "port defaults": {f"{BOX}/ports": [{"containerPort": 80}]},
    "secret reference": {f"{BOX}/env": [{"name": "A", "valueFrom": {"secretKeyRef": {"key": "k"}}}]},
    "own status": {"status": {"conditions": [{"type": "Succeeded", "status": "True"}]}},
    "owner without uid": {"metadata/ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "x"}]},
    "finalizer odd": {"metadata/finalizers": ["nonsense"]},
    "own uid": {"metadata/uid": "mine", "metadata/resourceVersion": "", "metadata/generation": 7},
    "own version": {"metadata/resourceVersion": "5"},
    "generate name": {"metadata/name": None, "metadata/generateName": "gen-"},
}


def spoiled():
    for name, changes in SPOILED.items():
        for mode in ("Strict", "Warn"):
            yield f"create {name} ({mode})", ("POST", f"{JOBS}?fieldValidation={mode}&dryRun=All", a_job(**changes))


def spoiled_others():
    yield "tf without container", ("POST", JOBS.replace("pytorch", "tf") + "?dryRun=All", a_job(alias="tf", **{
        "spec/tfReplicaSpecs/Worker/template/spec/containers/0/name": "x"}))
    yield "xgboost without master", ("POST", JOBS.replace("pytorch", "xgboost") + "?dryRun=All", a_job(alias="xgboost", **{
        "spec/xgbReplicaSpecs/Master": None}))
    yield "paddle unknown role", ("POST", JOBS.replace("pytorch", "paddle") + "?dryRun=All", a_job(alias="paddle", **{
        "spec/paddleReplicaSpecs/Chief": role("true", name="paddle")}))
    yield "jax with master", ("POST", JOBS.replace("pytorch", "jax") + "?dryRun=All", a_job(alias="jax"))
    yield "mpi without launcher", ("POST", JOBS.replace("pytorch", "mpi") + "?dryRun=All", a_job(alias="mpi", **{
        "spec/mpiReplicaSpecs/Master": None}))
    for alias in ("tf", "paddle"):
        yield f"{alias} name", ("POST", JOBS.replace("pytorch", alias) + "?dryRun=All", a_job("1x", alias))


TEXT = json.dumps(a_job("text"))
YAML = f"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: from-yaml}}
spec:
  runPolicy: {{suspend: true}}
  pytorchReplicaSpecs: {{Master: {{replicas: 1, template: {{spec: {{containers: [{{name: pytorch, image: "{IMAGE}"}}]}}}}}}}}
"""


def creating():
    """In this order: each may need what the one before has left."""
    yield "create", ("POST", JOBS, a_job())
    yield "create again", ("POST", JOBS, a_job())
    yield "create again dry", ("POST", JOBS + "?dryRun=All", a_job())
    yield "create in missing namespace", ("POST", JOBS.replace(SPACE, "nowhere"), a_job())
    yield "create duplicate keys", ("POST", JOBS + "?fieldValidation=Strict", TEXT.replace('"replicas": 1', '"replicas": 1, "replicas": 1', 1))
    yield "create broken", ("POST", JOBS, TEXT[:50])
    yield "create empty", ("POST", JOBS, "")
    yield "create list", ("POST", JOBS, "[]")
    yield "create wrong type", ("POST", JOBS, TEXT, "text/plain")
    yield "create from yaml", ("POST", JOBS, YAML, "application/yaml")
    yield "create bad dry run", ("POST", JOBS + "?dryRun=true", a_job("x"))
    yield "create bad validation", ("POST", JOBS + "?fieldValidation=Bad", a_job("x"))
    yield "create html", ("POST", JOBS, a_job("x"), "application/json", "text/html")
    yield "get", ("GET", f"{JOBS}/q")
    yield "get missing", ("GET", f"{JOBS}/none")
    yield "get status", ("GET", f"{JOBS}/q/status")
    yield "get scale", ("GET", f"{JOBS}/q/scale")
    yield "get table", ("GET", f"{JOBS}/q", None, "", TABLE)
    yield "list table", ("GET", JOBS, None, "", TABLE)
    yield "list table none", ("GET", JOBS + "?includeObject=None", None, "", TABLE)
    yield "list partial", ("GET", JOBS, None, "", PARTIAL)
    yield "list", ("GET", JOBS)
    yield "list page", ("GET", JOBS + "?limit=1")
    yield "list bad limit", ("GET", JOBS + "?limit=x")
    yield "list bad continue", ("GET", JOBS + "?limit=1&continue=abc")
    yield "list by label", ("GET", JOBS + "?labelSelector=a%3Db")
    yield "list by bad label", ("GET", JOBS + "?labelSelector=a%20b%3D%3D%3D")
    yield "list by name", ("GET", JOBS + "?fieldSelector=metadata.name%3Dq")
    yield "list by unknown field", ("GET", JOBS + "?fieldSelector=spec.x%3Dq")
    yield "list pods by unknown field", ("GET", CORE + "/pods?fieldSelector=spec.x%3Dq")
    yield "list in missing namespace", ("GET", JOBS.replace(SPACE, "nowhere"))
    yield "list future version", ("GET", JOBS + "?resourceVersion=999999999")
    yield "list bad version", ("GET", JOBS + "?resourceVersion=abc")
    yield "watch bad version", ("GET", JOBS + "?watch=1&resourceVersion=abc&timeoutSeconds=1")
    yield "watch old version", ("GET", JOBS + "?watch=1&resourceVersion=1&timeoutSeconds=1")
    yield "watch start", ("GET", JOBS + "?watch=1&timeoutSeconds=1")
    yield "watch table", ("GET", JOBS + "?watch=1&timeoutSeconds=1", None, "", TABLE)
    yield "unknown kind", ("GET", JOBS.replace("pytorchjobs", "nojobs"))
    yield "unknown group", ("GET", "/apis/none.org/v1/things")
    yield "unknown version", ("GET", JOBS.replace("/v1/", "/v9/"))
    yield "unknown subresource", ("GET", f"{JOBS}/q/nothing")
    yield "unknown root", ("GET", "/nothing")
    yield "post to object", ("POST", f"{JOBS}/q", a_job())
    yield "put to list", ("PUT", JOBS, a_job())
    yield "bad verb", ("PROPFIND", f"{JOBS}/q")


def changing():
    yield "patch merge", ("PATCH", f"{JOBS}/q", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    yield "patch same", ("PATCH", f"{JOBS}/q", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    yield "patch spec", ("PATCH", f"{JOBS}/q", {"spec": {"runPolicy": {"backoffLimit": 4}}}, MERGE)
    yield "patch null", ("PATCH", f"{JOBS}/q", {"metadata": {"labels": {"a": None}}}, MERGE)
    yield "patch json", ("PATCH", f"{JOBS}/q", [{"op": "replace", "path": "/spec/runPolicy/backoffLimit", "value": 5}], PATCH)
    yield "patch json test", ("PATCH", f"{JOBS}/q", [{"op": "test", "path": "/spec/runPolicy/backoffLimit", "value": 9}], PATCH)
    yield "patch json missing", ("PATCH", f"{JOBS}/q", [{"op": "remove", "path": "/spec/none"}], PATCH)
    yield "patch json bad", ("PATCH", f"{JOBS}/q", {"op": "x"}, PATCH)
    yield "patch strategic", ("PATCH", f"{JOBS}/q", {"metadata": {"labels": {"a": "b"}}}, STRATEGIC)
    yield "patch json type", ("PATCH", f"{JOBS}/q", {"metadata": {"labels": {"a": "b"}}}, "application/json")
    yield "patch masters", ("PATCH", f"{JOBS}/q", {"spec": {"pytorchReplicaSpecs": {"Master": {"replicas": 2}}}}, MERGE)
    yield "patch bad type", ("PATCH", f"{JOBS}/q", {"spec": {"runPolicy": {"backoffLimit": "x"}}}, MERGE)
    yield "patch unknown strict", ("PATCH", f"{JOBS}/q?fieldValidation=Strict", {"spec": {"zz": 1}}, MERGE)
    yield "patch unknown", ("PATCH", f"{JOBS}/q", {"spec": {"zz": 1}}, MERGE)
    yield "patch old version", ("PATCH", f"{JOBS}/q", {"metadata": {"resourceVersion": "1", "labels": {"c": "d"}}}, MERGE)
    yield "patch name", ("PATCH", f"{JOBS}/q", {"metadata": {"name": "other"}}, MERGE)
    yield "patch uid", ("PATCH", f"{JOBS}/q", {"metadata": {"uid": "other"}}, MERGE)
    yield "patch missing", ("PATCH", f"{JOBS}/none", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    yield "patch broken", ("PATCH", f"{JOBS}/q", "{", MERGE)
    yield "patch dry", ("PATCH", f"{JOBS}/q?dryRun=All", {"metadata": {"labels": {"dry": "yes"}}}, MERGE)
    yield "patch queue", ("PATCH", f"{JOBS}/q", {"spec": {"runPolicy": {"schedulingPolicy": {"queue": "a"}}}}, MERGE)
    yield "patch queue again", ("PATCH", f"{JOBS}/q", {"spec": {"runPolicy": {"schedulingPolicy": {"queue": "b"}}}}, MERGE)
    yield "patch status", ("PATCH", f"{JOBS}/q/status", {"status": {"startTime": "2020-01-01T00:00:00Z"}, "spec": {"nprocPerNode": "7"}}, MERGE)
    yield "patch scale", ("PATCH", f"{JOBS}/q/scale", {"spec": {"replicas": 3}}, MERGE)
    yield "get after patches", ("GET", f"{JOBS}/q")
    yield "put without version", ("PUT", f"{JOBS}/q", a_job())
    yield "put stale", ("PUT", f"{JOBS}/q", a_job(**{"metadata/resourceVersion": "1"}))
    yield "put missing", ("PUT", f"{JOBS}/none", a_job("none", **{"metadata/resourceVersion": "1"}))
    yield "put other name", ("PUT", f"{JOBS}/q", a_job("other", **{"metadata/resourceVersion": "1"}))
    yield "delete wrong uid", ("DELETE", f"{JOBS}/q", {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": "x"}})
    yield "delete dry", ("DELETE", f"{JOBS}/q?dryRun=All")
    yield "delete bad propagation", ("DELETE", f"{JOBS}/q?propagationPolicy=Bad")
    yield "delete", ("DELETE", f"{JOBS}/q")
    yield "delete again", ("DELETE", f"{JOBS}/q")
    yield "delete collection", ("DELETE", JOBS)
    yield "list after", ("GET", JOBS)


def core_objects():
    yield "configmap", ("POST", CORE + "/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "b"}})
    yield "configmap bad key", ("POST", CORE + "/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "n"}, "data": {"a b": "c"}})
    yield "configmap strategic", ("PATCH", CORE + "/configmaps/m", {"data": {"c": "d", "a": None}}, STRATEGIC)
    yield "configmap unknown field", ("POST", CORE + "/configmaps?fieldValidation=Strict", {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "n"}, "date": {"a": "b"}})
    yield "secret", ("POST", CORE + "/secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "b"}})
    yield "secret bad", ("POST", CORE + "/secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "t"}, "data": {"a": "?"}})
    yield "claim", ("POST", CORE + "/persistentvolumeclaims", {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {
        "name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
    yield "claim empty", ("POST", CORE + "/persistentvolumeclaims", {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {
        "name": "d"}, "spec": {}})
    for plural in ("configmaps", "secrets", "persistentvolumeclaims"):
        yield f"{plural} table", ("GET", f"{CORE}/{plural}", None, "", TABLE)
    yield "services", ("GET", CORE + "/services")
    yield "namespace", ("GET", f"/api/v1/namespaces/{SPACE}")
    yield "namespace missing", ("GET", "/api/v1/namespaces/nowhere")
    yield "namespace bad", ("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "A b"}})
    yield "namespaces table", ("GET", "/api/v1/namespaces?fieldSelector=metadata.name%3Ddefault", None, "", TABLE)
    yield "pod missing", ("GET", CORE + "/pods/none")
    yield "pod log missing", ("GET", CORE + "/pods/none/log")
    yield "version", ("GET", "/version")
    yield "kubeflow group", ("GET", "/apis/kubeflow.org")
    yield "kubeflow resources", ("GET", "/apis/kubeflow.org/v1")
    yield "core versions", ("GET", "/api")
    for path in ("healthz", "readyz"):
        yield path, ("GET", f"/{path}")


LOG = CORE + "/pods/talk-master-0/log"


def logs():
    for name, query in {
            "plain": "", "tail": "?tailLines=2", "tail 0": "?tailLines=0", "tail -1": "?tailLines=-1", "tail x": "?tailLines=x", "bytes": "?limitBytes=10",
            "bytes 0": "?limitBytes=0", "since": "?sinceSeconds=3600", "since 0": "?sinceSeconds=0", "since time bad": "?sinceTime=bad",
            "since future": "?sinceTime=2100-01-01T00%3A00%3A00Z", "both since": "?sinceSeconds=5&sinceTime=2020-01-01T00%3A00%3A00Z",
            "since past": "?sinceTime=2020-01-01T00%3A00%3A00Z", "previous": "?previous=true", "container": "?container=pytorch",
            "container unknown": "?container=zz", "stream": "?stream=Stdout", "timestamps": "?timestamps=true", "follow": "?follow=true",
            "follow odd": "?follow=yes", "unknown parameter": "?nonsense=1", "tail and bytes": "?tailLines=2&limitBytes=3"}.items():
        yield f"log {name}", ("GET", LOG + query)
    yield "pod table", ("GET", CORE + "/pods?labelSelector=training.kubeflow.org%2Fjob-name%3Dtalk", None, "", TABLE)
    yield "job table", ("GET", JOBS + "?fieldSelector=metadata.name%3Dtalk", None, "", TABLE)
    yield "events by object", ("GET", CORE + "/events?fieldSelector=involvedObject.name%3Dtalk-master-0%2Creason%3DStarted")


def ask(cluster, question):
    code, headers, body = cluster.request(*question)
    text = body.decode("utf-8", "backslashreplace")
    try:
        content = json.loads(text)
    except ValueError:
        content = text
    return {"code": code, "type": headers.get("Content-Type"), "warnings": headers.get_all("Warning") or [], "body": content}


def talk(cluster):
    """Runs a job whose log the questions about logs read."""
    made = case("talk", job("pytorch", NO_CLEANING, Master=role("for i in 1 2 3 4 5; do echo line $i; done; sleep 1; printf end")))["manifest"]
    cluster.request("POST", JOBS, made)
    for _ in range(300):
        code, _, body = cluster.request("GET", CORE + "/pods/talk-master-0")
        if code == 200 and json.loads(body)["status"].get("phase") == "Succeeded":
            return
        time.sleep(0.1)


def answers(cluster):
    cluster.make_namespace(SPACE)
    found = {}
    for part in (spoiled, spoiled_others, creating, changing, core_objects):
        for name, question in part():
            found[name] = ask(cluster, question)
    talk(cluster)
    for name, question in logs():
        found[name] = ask(cluster, question)
    cluster.request("DELETE", f"/api/v1/namespaces/{SPACE}")
    return found
