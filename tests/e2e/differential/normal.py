"""From a recording to lines that two clusters can share: what must differ (ids, times, addresses) gets one name."""

import json
import re

UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b\d{4}-\d\d-\d\d(T| )\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000 UTC|[+-]\d\d:\d\d)")
CONTAINER = re.compile(r"\b[0-9a-z-]+://[0-9a-zA-Z._-]{12,}|\b[0-9a-f]{64}\b")
POD_ADDRESS = re.compile(r"\b10\.24\d\.\d+\.\d+\b|\b127\.0\.0\.\d+\b")
ACCOUNT_VOLUME = re.compile(r"\bkube-api-access-[0-9a-z]{5}\b")
EVENT_NAME = re.compile(r"\.1[0-9a-f]{15}\b")
NODE = re.compile(r"\bnode1\b")
DURATION = re.compile(r"\b(\d+h)?(\d+m)?\d+(\.\d+)?(s|ms|µs)\b")
GENERATED = re.compile(r"\bgen-[0-9a-z]{5}\b")
SUPPORTED = re.compile(r'(supported values: )("[^"]*"(?:, "[^"]*")+)')  # a Go map's order
WHERE_THE_LOG_IS = re.compile(r"^hint: its (whole log:|pod is gone).*")
RANDOM_MARKS = ("trainctl.io/submission", "trainctl/submission")

# Fields that are the cluster's own business, at any depth.
DROPPED = {"managedFields"}
NUMBERS_OF_CHANCE = {"count", "resourceVersion"}


# Fields of pods, services and claims that a server fills in and that neither trainctl nor the embedded kubelet reads.
UNREAD = re.compile(r"""(
    ^pods/.*/spec/(dnsPolicy|serviceAccount|securityContext|schedulerName|tolerations|enableServiceLinks|preemptionPolicy|priority)(\[.*|\#order)?$
    | ^pods/.*/(ports\[[^]]*\]/(protocol|hostPort)|fieldRef/apiVersion|divisor|hostPath/type)$
    | ^services/.*/(status/.*|spec/(type|sessionAffinity|internalTrafficPolicy|ipFamil.*|clusterIPs.*|ports\[[^]]*\]/(protocol|targetPort)))$
    | ^(persistentvolumeclaims/.*|claim/body)/spec/volumeMode$
)""", re.VERBOSE)


class Names:
    """Turns what a cluster makes up into names; node is what this cluster calls its node."""

    def __init__(self, node):
        self.node = re.compile(rf"\b{re.escape(node)}\b") if node else NODE

    def text(self, text):
        for pattern, name in ((UUID, "<uid>"), (TIME, "<time>"), (CONTAINER, "<id>"), (POD_ADDRESS, "<ip>"), (ACCOUNT_VOLUME, "<account>"),
                              (EVENT_NAME, ".<n>"), (GENERATED, "gen-<n>"), (self.node, "<node>")):
            text = pattern.sub(name, text)
        return text


def key_of(items):
    """The field that names the items of a list (name, type, mountPath …), so that one more does not shift all others."""
    for key in ("name", "type", "mountPath", "path", "key"):
        names = [item.get(key) for item in items if isinstance(item, dict)]
        if len(names) == len(items) and all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
            return key
    return None


def is_account(item):
    """The volume with the service account's token, or its mount: the real cluster puts it into every pod."""
    return isinstance(item, dict) and bool(ACCOUNT_VOLUME.fullmatch(str(item.get("name"))))


def flatten(value, path, names, lines):
    """Adds path → text for every leaf; lists of named things are keyed by name, and their order by a leaf of its own."""
    if isinstance(value, dict):
        if not value:
            lines[path] = "{}"
        for key, item in value.items():
            if key in NUMBERS_OF_CHANCE and isinstance(item, (int, str)):
                lines[f"{path}/{key}"] = "<number>"
            elif key not in DROPPED:
                flatten(item, f"{path}/{names.text(key)}", names, lines)
    elif isinstance(value, list):
        mounts = [item for item in value if not is_account(item)]
        if value and not mounts:
            return
        value = mounts
        key = key_of(value)
        if not value:
            lines[path] = "[]"
        elif key:
            lines[f"{path}#order"] = names.text(" ".join(item[key] for item in value))
            for item in value:
                flatten(item, f"{path}[{names.text(item[key])}]", names, lines)
        else:
            for number, item in enumerate(value):
                flatten(item, f"{path}[{number}]", names, lines)
    elif isinstance(value, str):
        lines[path] = names.text(value)
    else:
        lines[path] = json.dumps(value)


def without_selectors(job):
    """A job's status without the selectors of its roles when it has succeeded.

    The operator visits the roles in the random order of a Go map and stops at the one that decides: the others
    have a selector or not.
    """
    conditions = job.get("status", {}).get("conditions", [])
    if not any(condition["type"] == "Succeeded" and condition["status"] == "True" for condition in conditions):
        return job
    roles = {name: {key: value for key, value in counts.items() if key != "selector"}
             for name, counts in job["status"].get("replicaStatuses", {}).items()}
    return {**job, "status": {**job["status"], "replicaStatuses": roles}}


def is_environment(text):
    return text.startswith(("CONTROLLER_", "COORDINATOR_", "ACCOUNT=", "HOME=", "HOSTNAME=", "EMPTY=")) or "\nHOSTNAME=" in text


def flatten_log(body, path, names, lines):
    """The bytes of a log; the environment that a container printed, variable by variable."""
    if not is_environment(body):
        lines[path] = names.text(body)
        return
    for line in body.splitlines():
        name, _, value = line.partition("=")
        lines[f"{path}${name}"] = names.text(value)


def event_line(event, names):
    """What an event says; how often it was repeated is a matter of timing."""
    about = event["involvedObject"]
    source = event.get("source", {}).get("component") or event.get("reportingComponent")
    words = [about["kind"], about["name"], about.get("fieldPath", "-"), event.get("type"), event.get("reason"), source, event.get("message", "")]
    return DURATION.sub("<duration>", names.text(" | ".join(str(word) for word in words)))


def of_chance(event, record):
    """What a cluster reports only sometimes: a busy one of a token that could not be mounted at once, for instance."""
    component, message = event.get("source", {}).get("component") or "", event.get("message") or ""
    if "terminated message: " in message:
        return True  # the operator repeats a container's end when it looks before the pod has ended as well
    if event.get("reason") == "MPIJobFailed" and "already exists" in message:
        return True  # its operator creates a launcher anew that its cache does not hold yet
    if event.get("reason") in ("FailedCreatePod", "FailedCreateService") and message.endswith("already exists"):
        return quoted(message) in created_by(event["involvedObject"]["uid"], record)  # the same
    if event.get("reason") == "FailedDeletePod" and message.endswith("not found"):
        return True  # it deletes a job a second time that its cache still holds
    if event.get("reason") == "ExitedWithCode":  # of a run before a restart: when the operator looks in between
        return any(f".{name} exited" in message for name in record["restarted"])
    return component.startswith("endpoint") or bool(ACCOUNT_VOLUME.search(message)) or "timed out waiting for the condition" in message


def quoted(message):
    return message.partition('"')[2].rpartition('"')[0]


def created_by(uid, record):
    """Names of the pods and services that a job has created by its own account."""
    return {event["message"].rpartition(" ")[2] for event in record["events"]
            if event["involvedObject"].get("uid") == uid and event["reason"] in ("SuccessfulCreatePod", "SuccessfulCreateService")}


def restarted(record):
    """Names of the pods with a container that was restarted in its place."""
    return {pod["metadata"]["name"] for pod in record["pods"]
            if any(status["restartCount"] for status in pod["status"].get("containerStatuses", []))}


def flatten_events(record, path, names, lines):
    shapes = {}
    for event in record["events"]:
        if of_chance(event, record):
            continue
        lines[f"{path}/{event_line(event, names)}"] = "there"
        component = event.get("source", {}).get("component") or event.get("reportingComponent")
        shape = {}
        flatten({key: value for key, value in event.items() if key not in ("apiVersion", "kind", "message", "gone", "series")}, "", names, shape)
        fields = {re.sub(r"\[\d+\]", "[]", field) for field in shape if "/metadata/" not in field}
        shapes.setdefault(component, set()).update(fields)
    for component, fields in shapes.items():
        lines[f"{path}-fields/{component}"] = " ".join(sorted(fields))


def objects(things, path, names, lines):
    """Namesakes (a pod that was created again) are distinguished by their turn."""
    seen = {}
    for thing in sorted(things, key=lambda thing: (thing["metadata"]["creationTimestamp"], int(thing["metadata"]["resourceVersion"]))):
        name = thing["metadata"]["name"]
        seen[name] = seen.get(name, 0) + 1
        fields = {key: value for key, value in thing.items() if key not in ("kind", "apiVersion")}
        flatten(fields, f"{path}/{name}" + (f"({seen[name]})" if seen[name] > 1 else ""), names, lines)


def last_words(said):
    """Exit status and the line that says why; what a command reports on its way depends on timing.

    So does where the failed replica's log is found: clean-up deletes its pod before the command ends, or after.
    """
    errors = [WHERE_THE_LOG_IS.sub("hint: <where the log is>", line)
              for line in (said.get("stderr") or "").splitlines() if line.startswith(("error:", "hint:"))]
    return {"exit": said.get("exit"), "errors": errors}


def report_of(said, names_of_restarted):
    """The verdict as `get -o json` gives it, without the API object, which is compared by itself.

    Of a replica that was restarted and is gone, only an event of chance has the exit code.
    """
    try:
        report = json.loads(said.get("stdout") or "null")
    except ValueError:
        return said.get("stdout")
    if isinstance(report, dict) and "items" in report:
        report = report["items"][0] if report["items"] else {}
    fields = {key: value for key, value in (report or {}).items() if key not in ("object", "since")}
    unsure = [replica for replica in fields.get("replicas", [])
              if replica.get("state") == "Missing" and any(name.endswith(replica["name"]) for name in names_of_restarted)]
    for replica in unsure:
        replica.pop("exitCode", None)
    if unsure:
        fields.pop("message", None)
    return fields


def without_last_moments(pod):
    """A deleted pod without what its kubelet may or may not have reported before it was gone."""
    if "deletionTimestamp" not in pod["metadata"]:
        return pod
    pod = json.loads(json.dumps(pod))
    for status in pod["status"].get("containerStatuses", []):
        status.pop("lastState", None)
    for condition in pod["status"].get("conditions", []):
        if condition["type"] == "PodReadyToStartContainers":
            condition["status"] = "<any>"
    return pod


def story(phases):
    """A pod that ends soon may never be seen running."""
    shown = [str(phase) for phase in phases]
    return " ".join(shown if shown[-1] == "Running" else [phase for phase in shown if phase != "Running"])


def at_rest(record):
    """Of a case that goes on for ever: what does not change with the moment of looking."""
    first, namesakes = {}, sorted(record["pods"], key=lambda pod: pod["metadata"]["creationTimestamp"])
    for pod in namesakes:
        first.setdefault(pod["metadata"]["name"], {"metadata": {key: value for key, value in pod["metadata"].items() if not key.startswith("deletion")},
                                                   "spec": pod["spec"]})
    kept = {key: value for key, value in record["job"].items() if key != "status"}
    return {**record, "pods": list(first.values()), "job": kept, "report": {}, "history": [], "phases": [], "logs": {}, "submit": {}}


def case_lines(record, names):
    lines = {}
    if "broken" in record:
        return {"broken": record["broken"]}
    record = {**record, "restarted": restarted(record)}
    if record.get("moving"):
        record = at_rest(record)
    lines["missing"] = json.dumps(record["missing"])
    flatten(last_words(record["submit"]), "trainctl", names, lines)
    flatten(report_of(record["report"], record["restarted"]), "report", names, lines)
    # While a replica is replaced the operator calls the job Running and Restarting by turns: it visits the roles in
    # the random order of a Go map, and the last one wins.
    lines["history"] = " -> ".join(dict.fromkeys(", ".join(state) for state in record["history"] if state))
    for name in {name for name, _ in record["phases"]}:
        lines[f"phases/{name}"] = " ; ".join(sorted(story(phases) for who, phases in record["phases"] if who == name))
    flatten(without_selectors(record["job"]), "job", names, lines)
    lines["job_gone"] = json.dumps(record["job_gone"])
    record = {**record, "pods": [without_last_moments(pod) for pod in record["pods"]]}
    for plural in ("pods", "services", "configmaps", "secrets", "serviceaccounts", "persistentvolumeclaims"):
        objects(record[plural], plural, names, lines)
    flatten_events(record, "events", names, lines)
    for pod, containers in record["logs"].items():
        for container, log in containers.items():
            lines[f"log-code/{pod}/{container}"] = str(log["code"])
            flatten_log(log["body"], f"log/{pod}/{container}", names, lines)
    for mark in RANDOM_MARKS:
        for path in [path for path in lines if path.endswith(f"/annotations/{mark}")]:
            lines[path] = "<mark>"
    return read_ones(lines)


def read_ones(lines):
    """Without what nothing reads; an empty variable is as good as one without a value."""
    return {path: text for path, text in lines.items()
            if not UNREAD.search(path) and not (text == "" and re.search(r"/env\[[^]]*\]/value$", path))}


def without_numbers(path, text):
    """Versions and ages inside of texts."""
    text = re.sub(r'"resourceVersion": ?"\d+"', '"resourceVersion":"<number>"', text)
    text = SUPPORTED.sub(lambda match: match[1] + ", ".join(sorted(match[2].split(", "))), text)
    text = re.sub(r"(too old resource version: \d+ \(|current: )\d+", r"\1<number>", text)
    return "<age>" if "/cells[" in path and re.fullmatch(r"(\d+[smhd])+", text) else text


def answer_lines(record, names):
    """Of the answers to single requests."""
    if "broken" in record:
        return {"broken": record["broken"]}
    lines = {}
    for name, answer in record.items():
        for part in ("code", "type", "warnings", "body"):
            flatten(answer[part], f"{name}/{part}", names, lines)
    lines.pop("kubeflow resources/body/resources#order", None)  # the order in which the definitions were installed
    return {path: without_numbers(path, text) for path, text in read_ones(lines).items()}


def node_of(records):
    for record in records.values():
        for pod in record.get("pods", []):
            if pod["spec"].get("nodeName"):
                return pod["spec"]["nodeName"]
    return ""


def normalised(records):
    """Case → path → text."""
    names = Names(node_of(records))
    return {name: answer_lines(record, names) if name == "requests" else case_lines(record, names) for name, record in records.items()}
