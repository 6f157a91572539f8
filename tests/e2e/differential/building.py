"""What the cases are made of: manifests of every kind in few words, and what to wait for and do meanwhile."""

IMAGE = "trainctl.test/busybox:1"

# Alias → kind, place of the replicas, name of the training container.
KINDS = {
    "pytorch": ("PyTorchJob", "pytorchReplicaSpecs", "pytorch"),
    "tf": ("TFJob", "tfReplicaSpecs", "tensorflow"),
    "xgboost": ("XGBoostJob", "xgbReplicaSpecs", "xgboost"),
    "paddle": ("PaddleJob", "paddleReplicaSpecs", "paddle"),
    "jax": ("JAXJob", "jaxReplicaSpecs", "jax"),
    "mpi": ("MPIJob", "mpiReplicaSpecs", "mpi"),
}
NO_CLEANING = {"cleanPodPolicy": "None"}
LISTING = "env | sort"
IDLE = 'trap "exit 0" TERM; sleep 600 & wait'
# A leader that outlives its workers by far, also where a busy node takes seconds to start these.
LEAD = "sleep 12"


def role(script=None, count=1, restart="Never", pod=None, labels=None, **container):
    """One role's replicas: their training container runs a shell script, or what `container` says."""
    container = {"image": IMAGE, **container}
    if script is not None:
        container["command"] = ["sh", "-c", script]
    template = {"spec": {"containers": [container], "terminationGracePeriodSeconds": 3, **(pod or {})}}
    if labels:
        template["metadata"] = {"labels": labels}
    built = {"replicas": count, "template": template}
    return built if restart is None else {**built, "restartPolicy": restart}


def last_ends_late(script):
    """Of two replicas the second ends long after the first."""
    return f"case $HOSTNAME in *-1) sleep 600;; esac; {script}"


SCRATCH = {"name": "scratch", "emptyDir": {}}


def at_first(first, then, **more):
    """A role whose container runs one script, and another one when it is restarted."""
    script = f"if [ -e /scratch/been ]; then {then}; else touch /scratch/been; {first}; fi"
    return role(script, restart="OnFailure", pod={"volumes": [SCRATCH]}, volumeMounts=[{"name": "scratch", "mountPath": "/scratch"}], **more)


def job(alias, policy=None, spec=None, **roles):
    """A job without a name, which is the case's."""
    kind, place, name = KINDS[alias]
    for content in roles.values():
        containers = content["template"]["spec"]["containers"]
        containers[0] = {"name": name, **containers[0]}
    body = {place: roles, **(spec or {})}
    if policy is not None:
        body["runPolicy"] = policy
    return {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": {}, "spec": body}


# ---- what to wait for: functions of a View (record.py) ----

def condition(kind):
    return lambda view: view.condition(kind)


def over(view):
    """The job has its verdict, and its event: a busy operator records events seconds later, and beyond 25 none."""
    kind = view.case["manifest"]["kind"]
    verdict = next((kind + end for end in ("Succeeded", "Failed") if view.condition(end)), None)
    return verdict is not None and (event(verdict)(view) or view.idle() >= 8)


def gone(view):
    return view.job is None and view.seen_job


def expired(view):
    """The job's time to live is over, and its operator has said so."""
    return gone(view) and any("Deleted job" in e.get("message", "") for e in view.events())


def event(reason, text=""):
    return lambda view: any(e.get("reason") == reason and text in e.get("message", "") for e in view.events())


def pods(count, phase):
    """So many pods are in this phase now."""
    return lambda view: sum(pod["status"].get("phase") == phase for pod in view.pods()) >= count


def active(count):
    """The job's status counts so many running pods: what is done then finds both clusters in one state."""
    return lambda view: sum(role.get("active", 0) for role in (view.job or {}).get("status", {}).get("replicaStatuses", {}).values()) >= count


def after(seconds):
    return lambda view: view.age() >= seconds


def born(count):
    """So many pods were ever created."""
    return lambda view: len(view.everything["pods"]) >= count


def both(*conditions):
    return lambda view: all(condition(view) for condition in conditions)


def either(*conditions):
    return lambda view: any(condition(view) for condition in conditions)


# ---- what to do then: functions of a View ----

def patch(change):
    return lambda view: view.cluster.request("PATCH", view.job_path(), change, "application/merge-patch+json")


def suspend(value):
    return patch({"spec": {"runPolicy": {"suspend": value}}})


def scale(alias, workers):
    return patch({"spec": {KINDS[alias][1]: {"Worker": {"replicas": workers}}}})


def delete_pod(name):
    return lambda view: view.cluster.request("DELETE", f"/api/v1/namespaces/{view.namespace}/pods/{name}")


def delete_job():
    return lambda view: view.cluster.request("DELETE", view.job_path())


def case(name, manifest, until=over, steps=(), objects=(), trainctl=("--wait",), name_of_job=None, quiet=3.0, also=(), moving=False):
    """One case: objects are there before; steps are (wait for, do); it ends `quiet` seconds after `until` without change.

    A moving case never comes to rest (containers that restart again and again): its state of the moment is not compared.
    """
    manifest["metadata"].setdefault("name", name_of_job or name)
    return {"name": name, "manifest": manifest, "until": until, "steps": list(steps), "objects": list(objects),
            "trainctl": list(trainctl), "quiet": quiet, "also": list(also), "moving": moving}
