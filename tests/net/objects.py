"""Keeps objects as an API server does, as far as creating and reading back needs it."""
import json

objects = {}
created = []


def status(code, reason):
    return code, {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": reason}


def create(collection, body):
    new = json.loads(body)
    facts = new["metadata"]
    if "name" not in facts:
        facts["name"] = facts["generateName"] + f"{len(created):05}"
    path = collection + "/" + facts["name"]
    if path in objects:
        return status(409, "AlreadyExists")
    facts["uid"] = f"uid-{len(created)}"
    objects[path] = new
    created.append(facts["name"])
    return 201, new


def answer(method, path, body):
    """The HTTP status and the JSON of a request's answer."""
    path = path.split("?")[0]
    if path == "/apis/created":
        return 200, created
    if path == "/apis/forget":  # lists them for the last time
        created_so_far = list(created)
        objects.clear()
        created.clear()
        return 200, created_so_far
    if method == "POST" and "/namespaces/" not in path:
        return status(404, "NotFound")  # reviews of rights, which it does not keep
    if method == "POST":
        return create(path, body)
    if path in objects:
        return 200, objects[path]
    if path.endswith("jobs"):
        return 200, {"kind": "JobList", "metadata": {"resourceVersion": "1"}, "items": list(objects.values())}
    return status(404, "NotFound")
