"""Jobs that ask what a container gets and how it may fail to start: environment, files, commands, messages, refusals."""

from building import (IDLE, IMAGE, LEAD, LISTING, NO_CLEANING, after, both, case, condition, either, event, job, last_ends_late, over, pods, role)


def core(kind, name, **content):
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **content}


MAP = core("ConfigMap", "settings", data={"LEVEL": "high", "file.txt": "line one\nline two\n", "1bad": "x"})
SECRET = core("Secret", "hidden", stringData={"TOKEN": "s3cret", "USER_NAME": "me"})


def alone(script=None, policy=None, pod=None, labels=None, restart="Never", **container):
    """A job of one pod."""
    return job("pytorch", policy or NO_CLEANING, Master=role(script, pod=pod, labels=labels, restart=restart, **container))


def field(name, path):
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def limit(name, resource, **more):
    return {"name": name, "valueFrom": {"resourceFieldRef": {"resource": resource, **more}}}


EVERYTHING = [
    {"name": "PLAIN", "value": "a b  c"}, {"name": "EMPTY", "value": ""}, {"name": "NONE"},
    {"name": "EXPANDED", "value": "<$(PLAIN)> <$(RANK)> <$(NOPE)> <$$(PLAIN)> <$$$(PLAIN)> <$(PLAIN> <$PLAIN> $"},
    {"name": "EARLY", "value": "$(LATER)"}, {"name": "LATER", "value": "later"},
    {"name": "SELF", "value": "$(SELF)"}, {"name": "FROM_MAP", "value": "$(LEVEL)"}, {"name": "LINES", "value": "one\ntwo"},
    field("POD", "metadata.name"), field("SPACE", "metadata.namespace"), field("NODE", "spec.nodeName"), field("ADDRESS", "status.podIP"),
    field("ACCOUNT", "spec.serviceAccountName"), field("LABEL", "metadata.labels['team']"), field("NO_LABEL", "metadata.labels['none']"),
    limit("CPU", "limits.cpu"), limit("CPU_MILLI", "limits.cpu", divisor="1m"), limit("MEMORY", "limits.memory"),
    limit("MEMORY_MI", "requests.memory", divisor="1Mi"),
    {"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "LEVEL"}}},
    {"name": "SECRET", "valueFrom": {"secretKeyRef": {"name": "hidden", "key": "TOKEN"}}},
    {"name": "OPTIONAL", "valueFrom": {"secretKeyRef": {"name": "none", "key": "x", "optional": True}}},
    {"name": "OPTIONAL_KEY", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "x", "optional": True}}},
]
SOURCES = [{"configMapRef": {"name": "settings"}}, {"secretRef": {"name": "hidden"}, "prefix": "IN_"},
           {"configMapRef": {"name": "none", "optional": True}}]
ASKED = {"requests": {"cpu": "50m", "memory": "32Mi"}, "limits": {"cpu": "1500m", "memory": "64Mi"}}


def environment(alias, policy=None, spec=None, **counts):
    """A job whose replicas print the environment they get."""
    # The first decides the verdict; the others live on, since each that ends makes the operator talk.
    roles = {name: role(f"{LISTING}; " + (IDLE if number else LEAD), count) for number, (name, count) in enumerate(counts.items())}
    return job(alias, policy or NO_CLEANING, spec, **roles)


ENVIRONMENT = [
    case("env-pytorch", environment("pytorch", Master=1, Worker=2)),
    case("env-pytorch-flat", environment("pytorch", Worker=2)),
    case("env-nproc", environment("pytorch", spec={"nprocPerNode": "4"}, Master=1, Worker=1)),
    case("env-elastic", job("pytorch", NO_CLEANING, {"nprocPerNode": "2", "elasticPolicy": {
        "minReplicas": 1, "maxReplicas": 4, "maxRestarts": 3, "rdzvBackend": "c10d", "rdzvPort": 12345, "rdzvId": "meet",
        "rdzvConf": [{"key": "a", "value": "b"}]}}, Worker=role(f"{LISTING}; " + last_ends_late("sleep 8"), 2))),
    case("env-tf", environment("tf", Chief=1, PS=1, Worker=2, Evaluator=1), quiet=4.0),
    case("env-tf-one", environment("tf", Worker=1)),
    case("env-xgboost", environment("xgboost", Master=1, Worker=2)),
    case("env-paddle", environment("paddle", Worker=2)),
    case("env-paddle-ps", environment("paddle", Master=1, Worker=2)),
    case("env-jax", environment("jax", Worker=2)),
    case("env-all", alone(f"{LISTING}; sleep 3", labels={"team": "red"}, env=EVERYTHING, envFrom=SOURCES, resources=ASKED),
         objects=[MAP, SECRET]),
    case("env-override", alone(f"{LISTING}; sleep 3", env=[{"name": name, "value": "mine"} for name in
                                                          ("RANK", "WORLD_SIZE", "MASTER_ADDR", "PYTHONUNBUFFERED", "HOSTNAME", "PET_NNODES")])),
]

COMMANDS = [
    case("command-expansion", alone(command=["sh", "-c", 'printf "%s\\n" "$@"; sleep 3', "sh"], env=[{"name": "A", "value": "x y"}],
                                    args=["$(A)", "$$(A)", "$(NO)", "$A", "a  b", "", "*", "ü\n2", "$(RANK)"])),
    case("args-only", alone(args=["sh", "-c", "echo by argument; sleep 3"])),
    case("working-directory", alone("pwd; sleep 3", workingDir="/tmp")),
    case("log-bytes", alone(r"printf 'a\n\n\tb\r\nc\000d\377\n'; sleep 1; echo err >&2; sleep 1; echo; printf 'no end'; sleep 3")),
    case("log-long", alone("head -c 70000 /dev/zero | tr '\\0' x; echo; i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo line $i; done; sleep 3")),
    case("message-file", alone("echo noted > /dev/termination-log; sleep 3; exit 4")),
    case("message-file-ok", alone("echo fine > /dev/termination-log; sleep 4")),
    case("message-logs", alone("echo one; sleep 1; echo two >&2; sleep 3; exit 4", terminationMessagePolicy="FallbackToLogsOnError")),
    case("message-logs-long", alone("i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo the line with number $i; done; sleep 3; exit 4",
                                    terminationMessagePolicy="FallbackToLogsOnError")),
    case("sidecar", alone("sleep 2", pod={"containers": [
        {"name": "pytorch", "image": IMAGE, "command": ["sh", "-c", "sleep 2"]},
        {"name": "helper", "image": IMAGE, "command": ["sh", "-c", "echo helping; sleep 3"]}]})),
    case("sidecar-fails", alone("sleep 2", pod={"containers": [
        {"name": "pytorch", "image": IMAGE, "command": ["sh", "-c", "sleep 3"]},
        {"name": "helper", "image": IMAGE, "command": ["sh", "-c", "sleep 2; exit 1"]}]})),
    case("init", alone("echo main; sleep 3", pod={"initContainers": [
        {"name": "first", "image": IMAGE, "command": ["sh", "-c", "echo first; sleep 3"]},
        {"name": "second", "image": IMAGE, "command": ["sh", "-c", "echo second; sleep 3"]}]})),
    case("init-fails", alone("echo main", pod={"initContainers": [
        {"name": "first", "image": IMAGE, "command": ["sh", "-c", "echo first; sleep 3; exit 2"]}]})),
    case("init-onfailure", alone("echo main", restart="OnFailure", pod={"initContainers": [
        {"name": "first", "image": IMAGE, "command": ["sh", "-c", "echo first; exit 2"]}]}), both(event("BackOff"), after(8)), quiet=1.0, moving=True),
]

MOUNTS = [{"name": name, "mountPath": f"/{name}"} for name in ("map", "secret", "some", "empty", "about")]
VOLUMES = [
    {"name": "map", "configMap": {"name": "settings"}}, {"name": "secret", "secret": {"secretName": "hidden", "defaultMode": 0o400}},
    {"name": "some", "configMap": {"name": "settings", "items": [{"key": "file.txt", "path": "sub/renamed", "mode": 0o600}]}},
    {"name": "empty", "emptyDir": {}},
    {"name": "about", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
                                                {"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}},
]

VOLUME_CASES = [
    case("volumes", alone("cd /; for f in map/* secret/* some/*/* about/*; do echo \"== $f\"; cat \"$f\"; done; echo x >empty/x && cat empty/x; sleep 3",
                          labels={"team": "red"}, pod={"volumes": VOLUMES}, volumeMounts=MOUNTS), objects=[MAP, SECRET]),
    case("volume-shared", alone("cat /shared/note; sleep 3", volumeMounts=[{"name": "shared", "mountPath": "/shared"}], pod={
        "volumes": [{"name": "shared", "emptyDir": {}}],
        "initContainers": [{"name": "first", "image": IMAGE, "command": ["sh", "-c", "echo from init >/shared/note"],
                            "volumeMounts": [{"name": "shared", "mountPath": "/shared"}]}]})),
    case("volume-path", alone("cat /etc/one; sleep 3", pod={"volumes": VOLUMES[:1]},
                              volumeMounts=[{"name": "map", "mountPath": "/etc/one", "subPath": "file.txt"}]), objects=[MAP, SECRET]),
]

WAITING = ("--wait", "--start-timeout", "8s")
# A busy kubelet first says that its cache of secrets timed out.
PATIENT = ("--wait", "--start-timeout", "20s")
STUCK = [
    case("no-secret", alone("true", env=[{"name": "X", "valueFrom": {"secretKeyRef": {"name": "none", "key": "x"}}}]),
         event("Failed", "not found"), trainctl=PATIENT, quiet=1.0),
    case("no-secret-key", alone("true", env=[{"name": "X", "valueFrom": {"secretKeyRef": {"name": "hidden", "key": "x"}}}]),
         event("Failed", "couldn't find key"), trainctl=PATIENT, quiet=1.0, objects=[SECRET]),
    case("no-configmap", alone("true", envFrom=[{"configMapRef": {"name": "none"}}]), event("Failed", "not found"),
         trainctl=PATIENT, quiet=1.0),
    case("no-map-volume", alone("true", pod={"volumes": [{"name": "v", "configMap": {"name": "none"}}]},
                                volumeMounts=[{"name": "v", "mountPath": "/v"}]), event("FailedMount", "not found"), trainctl=WAITING, quiet=1.0),
    case("no-secret-volume", alone("true", pod={"volumes": [{"name": "v", "secret": {"secretName": "none"}}]},
                                   volumeMounts=[{"name": "v", "mountPath": "/v"}]), event("FailedMount", "not found"), trainctl=WAITING, quiet=1.0),
    case("no-claim", alone("true", pod={"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]},
                           volumeMounts=[{"name": "v", "mountPath": "/v"}]), either(event("FailedScheduling"), over), trainctl=WAITING),
    case("no-program", alone(command=["/no/such/program"]), both(event("Failed"), over), trainctl=WAITING),
    case("no-program-name", alone(command=["nosuchprogram", "x"]), both(event("Failed"), over), trainctl=WAITING),
    case("no-program-onfailure", alone(command=["/no/such/program"], restart="OnFailure"), both(event("BackOff"), event("CrashLoopBackOff")),
         trainctl=(), quiet=1.0, moving=True),
    case("not-executable", alone(command=["/etc/passwd"]), both(event("Failed"), over), trainctl=WAITING),
    case("no-directory", alone("pwd", workingDir="/no/such/directory")),
    case("no-gpu", job("pytorch", NO_CLEANING, Master=role("sleep 8"), Worker=role("true", resources={"limits": {"nvidia.com/gpu": 1}})),
         both(event("FailedScheduling"), condition("Succeeded")), trainctl=()),
    case("no-memory", alone("true", resources={"requests": {"memory": "100000Gi"}}), either(event("FailedScheduling"), over), trainctl=WAITING),
    case("no-account", alone("true", pod={"serviceAccountName": "nobody"}), both(event("FailedCreatePod"), after(4)), trainctl=WAITING),
    case("no-node", alone("true", pod={"nodeSelector": {"zone": "mars"}}), event("FailedScheduling"), trainctl=WAITING),
    case("no-class", alone("true", pod={"priorityClassName": "high"}), both(event("FailedCreatePod"), after(4)), trainctl=WAITING),
    case("replica-role", job("tf", NO_CLEANING, Foo=role("true")), both(after(5), pods(1, "Succeeded")), trainctl=WAITING),
    case("managed-by", alone("true", policy={"managedBy": "kueue.x-k8s.io/multikueue"}), after(4), trainctl=WAITING),
    case("empty-replicas", job("pytorch", NO_CLEANING), after(4), trainctl=WAITING),
    case("namesake", job("pytorch", NO_CLEANING, Master=role(IDLE)), both(event("FailedCreatePod"), pods(1, "Running")), trainctl=(),
         also=[{**job("xgboost", NO_CLEANING, Master=role(IDLE)), "metadata": {"name": "namesake"}}]),
    case("ports", alone("sleep 3", ports=[{"containerPort": 1234, "name": "pytorchjob-port"}])),
    case("resources", alone("sleep 3", resources=ASKED)),
    case("guaranteed", alone("sleep 3", resources={"limits": {"cpu": 1, "memory": "64Mi"}})),
    case("service-port", job("pytorch", NO_CLEANING, Master=role(f"{LISTING}; {LEAD}", ports=[{"containerPort": 777, "name": "pytorchjob-port"}]),
                             Worker=role("sleep 3"))),
]

ALL = ENVIRONMENT + COMMANDS + VOLUME_CASES + STUCK
