"""What a case expects of its runs, servers, proxies and plugins, as a list of what does not hold."""
import fnmatch
import json
import os
import re
import select

from harness.server import matches


def as_list(value):
    return [str(one) for one in (value if isinstance(value, list) else [value])]


def holds(expected, actual):
    """Subset comparison: mappings may have more members, lists have equal length, strings are equal."""
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(
            (key not in actual) if value == "<absent>" else key in actual and holds(value, actual[key])
            for key, value in expected.items())
    if isinstance(expected, list):
        return isinstance(actual, list) and len(actual) == len(expected) and all(map(holds, expected, actual))
    return expected == actual


def check_text(name, text, expect):
    found = []
    for pattern in as_list(expect.get(name, [])):
        if not re.search(pattern, text, re.MULTILINE):
            found.append(f"{name} lacks /{pattern}/")
    for pattern in as_list(expect.get(name + "-lacks", [])):
        if re.search(pattern, text, re.MULTILINE):
            found.append(f"{name} has /{pattern}/")
    if name + "-is" in expect and text != expect[name + "-is"]:
        found.append(f"{name} is not {expect[name + '-is']!r}")
    return found


def check_run(run, expect):
    found = []
    if run.status != expect.get("exit", 0):
        found.append(f"exit {run.status}, not {expect.get('exit', 0)}")
    for name in ("stdout", "stderr"):
        found += check_text(name, getattr(run, name).decode(errors="surrogateescape"), expect)
    if "stdout-size" in expect and run.stdout_size != expect["stdout-size"]:
        found.append(f"{run.stdout_size} bytes of stdout, not {expect['stdout-size']}")
    if "memory" in expect and run.peak() > expect["memory"]:
        found.append(f"took {run.peak()} MiB, more than {expect['memory']}")
    return found


def check_request(number, expected, seen):
    expected = {"request": expected} if isinstance(expected, str) else expected
    found = []
    if not matches(expected["request"], seen):
        return [f"request {number} is {seen}, not {expected['request']}"]
    for name, wanted in (expected.get("headers") or {}).items():
        values = seen.values(name)
        patterns = sorted(str(one) for one in as_list(wanted))
        if len(values) != len(patterns) or not all(map(fnmatch.fnmatchcase, sorted(values), patterns)):
            found.append(f"request {number}: {name} is {values}, not {wanted}")
    for name in expected.get("lacks") or []:
        parameter = name.startswith("?") and any(key == name[1:] for key, _ in seen.query)
        if seen.values(name) or parameter:
            found.append(f"request {number} has {name}: {seen.values(name)}")
    if "body" in expected and not holds(expected["body"], json.loads(seen.body or b"null")):
        found.append(f"request {number}: body is {seen.body[:300]!r}")
    for name in ("peer", "sni", "protocol", "connection"):
        if name in expected and getattr(seen, name) != expected[name]:
            found.append(f"request {number}: {name} is {getattr(seen, name)!r}, not {expected[name]!r}")
    return found


def is_sign_of_life(seen):
    """Asked for whenever a connection is silent for a moment in which a stream's end may be hidden, so on a busy machine."""
    return matches("GET /livez", seen)


def check_requests(log, expected, found):
    log = [one for one in log if not is_sign_of_life(one)]
    if len(log) != len(expected):
        found.append(f"{len(log)} requests, not {len(expected)}")
    for number, (wanted, seen) in enumerate(zip(expected, log), 1):
        found += check_request(number, wanted, seen)


def check_every(log, expected, found):
    for number, seen in enumerate(log, 1):
        found += check_request(number, {"request": "* *", **expected}, seen)
    if not log:
        found.append("no request at all")


def check_server(world, server, expect):
    found = []
    if "requests" in expect:
        check_requests(server.log, expect["requests"], found)
    if "every-request" in expect:
        check_every(server.log, expect["every-request"], found)
    if "connections" in expect and len(server.connections) != expect["connections"]:
        found.append(f"{len(server.connections)} connections, not {expect['connections']}")
    if "at-most-connections" in expect and len(server.connections) > expect["at-most-connections"]:
        found.append(f"{len(server.connections)} connections, more than {expect['at-most-connections']}")
    for pattern, count in (expect.get("times") or {}).items():
        seen = sum(matches(pattern, one) for one in server.log)
        low, high = count if isinstance(count, list) else (count, count)
        if not low <= seen <= (high if high is not None else seen):
            found.append(f"{seen} times {pattern}, not {count}")
    if "apart" in expect:  # the least time between the first and the last request
        gap = server.log[-1].time - server.log[0].time if server.log else 0
        if gap < float(str(expect["apart"]).removesuffix("s")):
            found.append(f"first and last request are {gap:.1f} s apart")
    wanted = "2" if world.protocol == "h2" else "1.1"
    if server.context is not None and "alpn" not in server.options:
        found += [f"{one} came over HTTP/{one.protocol}" for one in server.log if one.protocol != wanted]
    return found


def is_gone(pid):
    """A process that was asked to end has a moment for it; one that nobody has waited for is gone."""
    try:
        descriptor = os.pidfd_open(int(pid))
    except ProcessLookupError:
        return True
    with os.fdopen(descriptor) as process:
        return bool(select.select([process], [], [], 5)[0])


def check_plugins(world, expect):
    found = []
    for name, wanted in expect.items():
        runs = world.plugins[name].runs()
        if "runs" in wanted and len(runs) != wanted["runs"]:
            found.append(f"plugin {name} ran {len(runs)} times, not {wanted['runs']}")
        for run in runs:
            for key in ("info", "cwd", "args", "env", "terminal"):
                if key in wanted and not holds(world.expand(wanted[key]), run[key]):
                    found.append(f"plugin {name}: {key} is {run[key]}")
            if wanted.get("gone") and not is_gone(run["pid"]):
                found.append(f"plugin {name} is still running")
    return found


def check_proxies(world, expect):
    found = []
    for name, wanted in expect.items():
        log = world.proxies[name].log
        targets = [world.expand(one if isinstance(one, str) else one["target"]) for one in wanted]
        if [entry["target"] for entry in log] != targets:
            found.append(f"proxy {name} was asked for {[entry['target'] for entry in log]}, not {targets}")
            continue
        for one, entry in zip(wanted, log):
            if isinstance(one, dict) and not holds(one.get("headers", {}), entry["headers"]):
                found.append(f"proxy {name}: headers are {entry['headers']}")
    return found


def complaints(world, run, expect, whole):
    """`whole`: this is all the case does, so servers, proxies and plugins are looked at as well."""
    expect = world.expand(expect)
    found = check_run(run, expect) if run else []
    if not whole:
        return found
    found += check_server(world, world.servers["api"], expect) if "api" in world.servers else []
    for name, wanted in (expect.get("servers") or {}).items():
        found += check_server(world, world.servers[name], wanted)
    found += check_plugins(world, expect.get("plugins") or {})
    found += check_proxies(world, expect.get("proxies") or {})
    for name, server in world.servers.items():
        found += [f"{name}: never requested: {one}" for one in server.unused()]
        if run and run.status == 2 and server.connections:
            found.append(f"{name}: a usage error (exit 2) made a connection")
    for path, text in (expect.get("written") or {}).items():
        with open(world.path(path), encoding="utf-8") as file:
            if file.read() != text:
                found.append(f"{path} is not as expected")
    return found
