"""Attacks on `trainctl mcp`: what a client or its model sends, and what must come out.

Needs a job named good in the embedded cluster.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time

from mcp_client import META, TRAINCTL, Server, answer, asked, names, refused

LIMIT = 16 << 10  # of the text of an answer
MEGABYTE = "x" * (1 << 19)  # what a line of 1 MiB can hold


def line_of(**members):
    return json.dumps({"jsonrpc": "2.0", "id": 1, **members}).encode()


def meta(**changed):
    keys = {"version": "protocolVersion", "client": "clientInfo", "abilities": "clientCapabilities"}
    whole = dict(META)
    for name, value in changed.items():
        key = "io.modelcontextprotocol/" + keys[name]
        whole.pop(key)
        if value is not None:
            whole[key] = value
    return {"_meta": whole}


def nested(depth):
    return b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"


# A line, and the code of the error that it gets.
LINES = [
    (b"{", -32700),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/list"} x', -32700),
    (b'{"jsonrpc":"2.0","id":1e999,"method":"tools/list"}', -32700),
    (b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools/list"}', -32700),
    (b"\xff\xfe\x00", -32700),
    (b"[" * 100_000, -32700),
    (nested(100_000), -32700),
    (b"x" * (10 << 20), -32600),
    (b"[]", -32600),
    (b"[" + line_of(method="tools/list", params=meta()) + b"]", -32600),
    (line_of(id=None, method="tools/list", params=meta()), -32600),
    (line_of(id=[1], method="tools/list", params=meta()), -32600),
    (line_of(id=1.5, method="tools/list", params=meta()), -32600),
    (line_of(jsonrpc="1.0", method="tools/list", params=meta()), -32600),
    (line_of(method=["tools/list"], params=meta()), -32600),
    (line_of(method="tools/list", params="x"), -32602),
    (line_of(method="tools/list", params=None), -32602),
    (line_of(method="tools/list", params={}), -32602),
    (line_of(method="tools/list", params={"_meta": []}), -32602),
    (line_of(method="tools/list", params=meta(version=None)), -32602),
    (line_of(method="tools/list", params=meta(client=None)), -32602),
    (line_of(method="tools/list", params=meta(abilities="all")), -32602),
    (line_of(method="tools/list", params=meta(version="2099-01-01")), -32022),
    (line_of(method="tools/list", params=meta(version="2025-11-25")), -32022),
    (line_of(method="tools/list", params={"cursor": "../x", **meta()}), -32602),
    (line_of(method="resources/read", params={"uri": "file:///etc/shadow", **meta()}), -32601),
    (line_of(method="logging/setLevel", params=meta()), -32601),
    (line_of(method="\x1b]0;x\a" + MEGABYTE, params=meta()), -32601),
    (line_of(method="tools/call", params={"name": "exec_job", **meta()}), -32602),
    (line_of(method="tools/call", params={"name": MEGABYTE, **meta()}), -32602),
    (line_of(method="tools/call", params={"name": "delete_job\n", **meta()}), -32602),
    (line_of(method="tools/call", params={"name": "get_job", "arguments": "--all", **meta()}), -32602),
    (line_of(method="tools/call", params={"name": "delete_job", "arguments": {"job": "good"}, **meta(abilities={})}), -32021),
]

SUBMIT = ["submit-pytorch", "--name=x", "--workers=1"]


def submit(*words):
    return ("submit_job", {"line": [*SUBMIT, *words, "--", "true"]})


# Calls that are refused, and change nothing.
CALLS = [
    *[("get_job", {"job": "good", name: "x"}) for name in ("kubeconfig", "--kubeconfig", "--token", "notify", "env", "namespace", "-o", "root", "__proto__", "", MEGABYTE)],
    *[("get_job", {"job": job}) for job in ("--all", "-A", "../good", "good/../../x", "/etc/shadow", "go\x1bod", "good\n--all", "good\x00", "good ", "*", "", MEGABYTE)],
    *[("get_job", {"job": job}) for job in (1, None, True, ["good"], {"name": "good"})],
    ("get_job", {}),
    ("list_jobs", {"phase": "Running --all-namespaces"}),
    ("read_logs", {"job": "good", "tail": 18446744073709551615}),
    ("read_logs", {"job": "good", "tail": "1; id"}),
    ("read_logs", {"job": "good", "grep": "(" * 10_000}),
    ("read_logs", {"job": "good", "cursor": "2026-01-01T00:00:00Z --previous"}),
    ("read_logs", {"job": "good", "report": "/tmp/x"}),
    ("wait_job", {"job": "good", "timeout": -1}),
    ("compare_runs", {"first": "/etc/shadow", "second": "1"}),
    ("list_runs", {"run": "../runs"}),
    *[
        submit(flag)
        for flag in (
            "--kubeconfig=/etc/shadow", "--token=x", "--notify=x", "--env=HOME", "--env-file=/etc/shadow", "-f", "-o", "--output=json",
            "--report=/tmp/x", "--result-file=/tmp/x", "--save-logs=/tmp/x", "--code=/etc", "--template=/etc/shadow", "--overlay=/etc/shadow",
            "--preset=x", "--set=/spec/x=1", "--volume=/:/host", "--worker-volume=/:/host", "--host-network", "--host-pid", "--host-ipc",
            "--run-as=0", "--add-capability=SYS_ADMIN", "--allow-privilege-escalation", "--local", "--namespace=kube-system", "--follow",
        )
    ],
    submit("--label=a=" + MEGABYTE),
    ("submit_job", {"line": ["submit", "-f", "/etc/shadow", "--name=x"]}),
    ("submit_job", {"line": ["submit-pytorch", "--name=../x"]}),
    ("submit_job", {"line": ["submit-pytorch", "--name=x\x1b[2J"]}),
    ("submit_job", {"line": ["delete", "--all", "--name=x"]}),
    ("submit_job", {"line": "submit-pytorch --name=x"}),
    ("submit_job", {"line": [*SUBMIT] * 200}),
    ("check_job", {"line": ["submit", "/etc/shadow"]}),
    ("rerun_job", {"job": "good", "name": "--replace"}),
    ("delete_job", {"job": "good", "confirm": True}),
    ("delete_job", {"job": "good", "yes": True}),
]


def lines_get_errors():
    server = Server("--allow-changes")
    for line, code in LINES:
        server.write(line + b"\n")
        told = server.program.stdout.readline()
        assert json.loads(told)["error"]["code"] == code, (line[:200], told[:500])
        assert len(told) < 1000 and b"\x1b" not in told, line[:200]
    assert server.end() == 0


def calls_are_refused(session):
    server = Server("--allow-changes", session=session)
    for tool, arguments in CALLS:
        told = server.ask("tools/call", {"name": tool, "arguments": arguments})
        shown = (tool, str(arguments)[:200], str(told)[:500])
        assert "result" in told and "content" in told["result"], shown
        assert refused(told["result"]), shown
        assert len(told["result"]["content"][0]["text"]) <= LIMIT, shown
    jobs = server.call("list_jobs")["structuredContent"]["result"]["items"]
    assert [job["name"] for job in jobs] == ["good"], jobs
    assert server.end() == 0


def consent_is_the_users():
    """A model chooses the arguments of a call, and may have seen older states."""
    server = Server("--allow-changes")
    job = {"job": "good"}
    for given in ("true", "yes", "1.0", MEGABYTE):
        result = server.call("delete_job", {**job, "confirm": given})
        assert result["resultType"] == "input_required", (given[:20], result)
    first, second = (asked(server, "delete_job", job) for _ in range(2))
    number, _, mac = first.partition(".")
    flipped = mac[:-1] + ("0" if mac[-1] != "0" else "1")
    for forged in ("0", "-1", number, number + ".", number + "." + flipped, second.partition(".")[0] + "." + mac, " " + first, first + "\n", first.upper() + "x", MEGABYTE):
        assert refused(answer(server, "delete_job", job, forged)), forged[:80]
    for tool, arguments in (("suspend_job", job), ("delete_job", {"job": "pytorch/good"}), ("rerun_job", {**job, "name": "again"})):
        assert refused(answer(server, tool, arguments, first)), tool
    # An answer that is no consent uses its state up.
    for reply in ({"ok": {"action": "decline"}}, {"ok": {"action": "accept", "content": {"go": "true"}}}, {"other": {"action": "accept", "content": {"go": True}}}, {}):
        state = asked(server, "delete_job", job)
        said = server.call("delete_job", job, requestState=state, inputResponses=reply)
        assert "did not agree" in said["structuredContent"]["result"], reply
        assert refused(answer(server, "delete_job", job, state)), reply
    # A state of another process, also of one in another namespace.
    for flags in ((), ("-n", "other")):
        other = Server("--allow-changes", *flags)
        told = answer(other, "delete_job", job, first)
        assert refused(told), told
        assert other.end() == 0
    # What a client of one era was given is nothing in the other, in the same process.
    state = asked(server, "delete_job", job)
    server.session = True
    server.ask("initialize", {"protocolVersion": "2025-11-25"})
    shown = server.call("delete_job", job)["structuredContent"]["result"]["confirm"]
    assert refused(server.call("delete_job", {**job, "confirm": state}))
    server.session = False
    assert refused(answer(server, "delete_job", job, shown))
    assert not server.call("get_job", job)["isError"]
    assert server.end() == 0


def model_sees_the_line():
    """What the user is asked shows the whole line, on one line and without characters that hide some of it."""
    server = Server("--allow-changes")
    words = [*SUBMIT, "--", "sh", "-c", "echo harmless\n\x1b[2K\u202eid"]
    told = server.call("submit_job", {"line": words})
    message = told["inputRequests"]["ok"]["params"]["message"]
    first = message.splitlines()[0]
    assert "harmless" in first and first.rstrip().endswith(")") and "id'" in first, message
    assert "\x1b" not in message and "\u202e" not in message, message
    assert server.end() == 0


def names_by_tool_do_not_leak():
    server = Server()
    assert not set(names(server)) & {"submit_job", "rerun_job", "suspend_job", "delete_job"}
    assert server.ask("tools/call", {"name": "delete_job", "arguments": {"job": "good"}})["error"]["code"] == -32602
    assert server.end() == 0


def memory_of(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def flood_without_reading(end):
    """A client that writes and never reads: the server keeps a bounded number of requests, and ends."""
    server = Server()
    before = memory_of(server.program.pid)
    os.set_blocking(server.program.stdin.fileno(), False)
    request = line_of(method="tools/list", params=meta()) + b"\n"
    silent = 0
    while silent < 20:
        try:
            os.write(server.program.stdin.fileno(), request * 50)
            silent = 0
        except BlockingIOError:
            silent += 1
            time.sleep(0.05)
    assert memory_of(server.program.pid) - before < 32 << 10, "memory grows with what is not read"
    end(server.program)
    status = server.program.wait(30)
    server.program.stdout.close()
    return status


def unread_at_the_end():
    """The same with few requests: the server ends soon after its client's last word."""
    server = Server()
    server.write((line_of(method="tools/list", params=meta()) + b"\n") * 100)
    server.program.stdin.close()
    server.program.wait(30)
    server.program.stdout.close()


def thousand_at_once():
    server = Server()
    request = line_of(method="tools/call", params={"name": "get_job", "arguments": {"job": "--x"}, **meta()}) + b"\n"
    writer = threading.Thread(target=server.write, args=(request * 1000,))
    writer.start()
    for _ in range(1000):
        assert server.read()["result"]["isError"]
    writer.join()
    assert server.end() == 0


def ends_in_the_middle():
    whole = line_of(method="tools/call", params={"name": "delete_job", "arguments": {"job": "good"}, **meta()})
    for part in (whole[: len(whole) // 2], whole, b"\x00", b'"'):
        ended = subprocess.run([*TRAINCTL], input=part, capture_output=True, timeout=60)
        assert ended.returncode == 0 and ended.stdout == b"", (part, ended)


if __name__ == "__main__":
    lines_get_errors()
    calls_are_refused(session=False)
    calls_are_refused(session=True)
    consent_is_the_users()
    model_sees_the_line()
    names_by_tool_do_not_leak()
    assert flood_without_reading(lambda program: program.terminate()) == 128 + signal.SIGTERM
    flood_without_reading(lambda program: program.stdout.close())
    unread_at_the_end()
    thousand_at_once()
    ends_in_the_middle()
    print(len(LINES) + len(CALLS), "attacks failed")
    sys.exit(0)
