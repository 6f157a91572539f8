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
RANDOM_MARKS = ("trainctl.io/submission", "trainctl/submission")

# Fields that are the cluster's own business, at any depth.
DROPPED = {"managedFields"}
NUMBERS_OF_CHANCE = {"count", "resourceVersion"}


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
    """Adds path → text for every leaf; lists of named things are told by name, and their order by a leaf of its own."""
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


def of_chance(event):
    """What only a busy cluster tells: a token or a secret that could not be mounted at once, an endpoint that went away."""
    component, message = event.get("source", {}).get("component") or "", event.get("message") or ""
    return component.startswith("endpoint") or bool(ACCOUNT_VOLUME.search(message)) or "timed out waiting for the condition" in message


def flatten_events(events, path, names, lines):
    shapes = {}
    for event in events:
        if of_chance(event):
            continue
        lines[f"{path}/{event_line(event, names)}"] = "there"
        component = event.get("source", {}).get("component") or event.get("reportingComponent")
        shape = {}
        flatten({key: value for key, value in event.items() if key not in ("message", "gone")}, "", names, shape)
        fields = {re.sub(r"\[\d+\]", "[]", field) for field in shape if "/metadata/" not in field}
        shapes.setdefault(component, set()).update(fields)
    for component, fields in shapes.items():
        lines[f"{path}-fields/{component}"] = " ".join(sorted(fields))


def objects(things, path, names, lines):
    """Namesakes (a pod that was created again) are told apart by their turn."""
    seen = {}
    for thing in sorted(things, key=lambda thing: (thing["metadata"]["creationTimestamp"], int(thing["metadata"]["resourceVersion"]))):
        name = thing["metadata"]["name"]
        seen[name] = seen.get(name, 0) + 1
        told = {key: value for key, value in thing.items() if key not in ("kind", "apiVersion")}
        flatten(told, f"{path}/{name}" + (f"({seen[name]})" if seen[name] > 1 else ""), names, lines)


def last_words(said):
    """Exit status and the line that says why; what a command tells on its way depends on timing."""
    errors = [line for line in (said.get("stderr") or "").splitlines() if line.startswith(("error:", "hint:"))]
    return {"exit": said.get("exit"), "errors": errors}


def report_of(said):
    """The verdict as `get -o json` gives it, without the API object, which is compared by itself."""
    try:
        report = json.loads(said.get("stdout") or "null")
    except ValueError:
        return said.get("stdout")
    if isinstance(report, dict) and "items" in report:
        report = report["items"][0] if report["items"] else {}
    return {key: value for key, value in (report or {}).items() if key not in ("object", "since")}


def story(phases):
    """A pod that ends soon may never be seen running."""
    told = [str(phase) for phase in phases]
    return " ".join(told if told[-1] == "Running" else [phase for phase in told if phase != "Running"])


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
    if record.get("moving"):
        record = at_rest(record)
    lines["missing"] = json.dumps(record["missing"])
    flatten(last_words(record["submit"]), "trainctl", names, lines)
    flatten(report_of(record["report"]), "report", names, lines)
    lines["history"] = " -> ".join(", ".join(state) for state in record["history"] if state)
    for name in {name for name, _ in record["phases"]}:
        lines[f"phases/{name}"] = " ; ".join(sorted(story(phases) for who, phases in record["phases"] if who == name))
    flatten(record["job"], "job", names, lines)
    lines["job_gone"] = json.dumps(record["job_gone"])
    for plural in ("pods", "services", "configmaps", "secrets", "serviceaccounts", "persistentvolumeclaims"):
        objects(record[plural], plural, names, lines)
    flatten_events(record["events"], "events", names, lines)
    for pod, containers in record["logs"].items():
        for container, log in containers.items():
            lines[f"log-code/{pod}/{container}"] = str(log["code"])
            flatten_log(log["body"], f"log/{pod}/{container}", names, lines)
    for mark in RANDOM_MARKS:
        for path in [path for path in lines if path.endswith(f"/annotations/{mark}")]:
            lines[path] = "<mark>"
    return lines


def without_numbers(path, text):
    """Versions and ages inside of texts."""
    text = re.sub(r'"resourceVersion": ?"\d+"', '"resourceVersion":"<number>"', text)
    text = re.sub(r"(too old resource version: \d+ \(|current: )\d+", r"\1<number>", text)
    return "<age>" if "/cells[" in path and re.fullmatch(r"(\d+[smhd])+", text) else text


def answer_lines(record, names):
    """Of the answers to single requests."""
    lines = {}
    for name, answer in record.items():
        for part in ("code", "type", "warnings", "body"):
            flatten(answer[part], f"{name}/{part}", names, lines)
    return {path: without_numbers(path, text) for path, text in lines.items()}


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
