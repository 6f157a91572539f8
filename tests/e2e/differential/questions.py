"""Requests to the API server that both clusters must answer alike: what trainctl sends, and its refusals that trainctl reads."""

import json
import time

from building import NO_CLEANING, case, job, role

SPACE = "d-requests"
JOBS = f"/apis/kubeflow.org/v1/namespaces/{SPACE}/pytorchjobs"
CORE = f"/api/v1/namespaces/{SPACE}"
MERGE = "application/merge-patch+json"


def a_job(name="q"):
    """A job that starts nothing, so that only the server's part of it is seen."""
    made = job("pytorch", {"suspend": True, **NO_CLEANING}, Master=role("true"), Worker=role("true"))
    made["metadata"]["name"] = name
    return made


def creating():
    """In this order: each may need what the one before has left."""
    yield "create", ("POST", JOBS + "?fieldValidation=Strict", a_job())
    yield "create again", ("POST", JOBS, a_job())
    yield "create again dry", ("POST", JOBS + "?dryRun=All", a_job())
    yield "create dry", ("POST", JOBS + "?dryRun=All", a_job("x"))
    yield "create in missing namespace", ("POST", JOBS.replace(SPACE, "nowhere"), a_job())
    yield "get", ("GET", f"{JOBS}/q")
    yield "get missing", ("GET", f"{JOBS}/none")
    yield "list", ("GET", JOBS)
    yield "list by label", ("GET", JOBS + "?labelSelector=a%3Db")
    yield "list by name", ("GET", JOBS + "?fieldSelector=metadata.name%3Dq")
    yield "list by unknown field", ("GET", JOBS + "?fieldSelector=spec.x%3Dq")
    yield "list in missing namespace", ("GET", JOBS.replace(SPACE, "nowhere"))
    yield "list future version", ("GET", JOBS + "?resourceVersion=999999999")
    yield "watch old version", ("GET", JOBS + "?watch=1&resourceVersion=1&timeoutSeconds=1")
    yield "unknown kind", ("GET", JOBS.replace("pytorchjobs", "nojobs"))
    yield "unknown version", ("GET", JOBS.replace("/v1/", "/v9/"))


def changing():
    yield "patch merge", ("PATCH", f"{JOBS}/q", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    yield "patch same", ("PATCH", f"{JOBS}/q", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    yield "patch spec", ("PATCH", f"{JOBS}/q", {"spec": {"runPolicy": {"backoffLimit": 4}}}, MERGE)
    yield "patch null", ("PATCH", f"{JOBS}/q", {"metadata": {"labels": {"a": None}}}, MERGE)
    yield "patch old version", ("PATCH", f"{JOBS}/q", {"metadata": {"resourceVersion": "1", "labels": {"c": "d"}}}, MERGE)
    yield "patch missing", ("PATCH", f"{JOBS}/none", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    yield "patch dry", ("PATCH", f"{JOBS}/q?dryRun=All", {"metadata": {"labels": {"dry": "yes"}}}, MERGE)
    yield "get after patches", ("GET", f"{JOBS}/q")
    yield "delete wrong uid", ("DELETE", f"{JOBS}/q", {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": "x"}})
    yield "delete", ("DELETE", f"{JOBS}/q")
    yield "delete again", ("DELETE", f"{JOBS}/q")
    yield "list after", ("GET", JOBS)


def core_objects():
    yield "configmap", ("POST", CORE + "/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "b"}})
    yield "secret", ("POST", CORE + "/secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "b"}})
    yield "claim", ("POST", CORE + "/persistentvolumeclaims", {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {
        "name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
    yield "namespace", ("GET", f"/api/v1/namespaces/{SPACE}")
    yield "namespace missing", ("GET", "/api/v1/namespaces/nowhere")
    yield "pod missing", ("GET", CORE + "/pods/none")
    yield "pod log missing", ("GET", CORE + "/pods/none/log")


LOG = CORE + "/pods/talk-master-0/log"


def logs():
    for name, query in {
            "plain": "", "tail": "?tailLines=2", "tail 0": "?tailLines=0", "tail -1": "?tailLines=-1", "bytes": "?limitBytes=10",
            "bytes 0": "?limitBytes=0", "since": "?sinceSeconds=3600", "since 0": "?sinceSeconds=0", 
            "since future": "?sinceTime=2100-01-01T00%3A00%3A00Z", "both since": "?sinceSeconds=5&sinceTime=2020-01-01T00%3A00%3A00Z",
            "since past": "?sinceTime=2020-01-01T00%3A00%3A00Z", "previous": "?previous=true", "container": "?container=pytorch",
            "container unknown": "?container=zz", "stream": "?stream=Stdout", "timestamps": "?timestamps=true", "follow": "?follow=true",
            "follow odd": "?follow=yes", "unknown parameter": "?nonsense=1", "tail and bytes": "?tailLines=2&limitBytes=3"}.items():
        yield f"log {name}", ("GET", LOG + query)
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
    for part in (creating, changing, core_objects):
        for name, question in part():
            found[name] = ask(cluster, question)
    talk(cluster)
    for name, question in logs():
        found[name] = ask(cluster, question)
    cluster.request("DELETE", f"/api/v1/namespaces/{SPACE}")
    return found
