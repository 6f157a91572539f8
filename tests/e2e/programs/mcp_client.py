"""A client of `trainctl mcp` that looks at jobs, changes one, and is hostile."""

import json
import subprocess
import threading

TRAINCTL = ["trainctl", "mcp", "--local"]
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}


class Server:
    """One `trainctl mcp`; `session` speaks as clients of 2025 do."""

    def __init__(self, *flags, session=False):
        self.program = subprocess.Popen([*TRAINCTL, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.session = session
        self.last = 0
        if session:
            opened = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
            assert opened["result"]["protocolVersion"] == "2025-11-25", opened
            self.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode() + b"\n")

    def write(self, data):
        self.program.stdin.write(data)
        self.program.stdin.flush()

    def read(self):
        return json.loads(self.program.stdout.readline())

    def ask(self, method, params=None):
        self.last += 1
        params = dict(params or {})
        if not self.session:
            params["_meta"] = {**META, **params.get("_meta", {})}
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).encode() + b"\n")
        answer = self.read()
        assert answer["id"] == self.last, answer
        return answer

    def call(self, tool, arguments=None, **more):
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments or {}, **more})
        assert "result" in answer, answer
        result = answer["result"]
        if "content" in result:
            assert len(result["content"][0]["text"]) <= 16 << 10, "a long answer"
            assert json.loads(result["content"][0]["text"]) == result["structuredContent"], result
        return result

    def end(self):
        self.program.stdin.close()
        rest = self.program.stdout.read()
        assert rest == b"", rest
        return self.program.wait(60)


def names(server):
    return [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]


def refused(result):
    return result["isError"] and not result["structuredContent"]["result"]


def looks(server):
    listed = server.call("list_jobs")["structuredContent"]
    assert sorted(job["name"] for job in listed["result"]["items"]) == ["good", "long"], listed
    waited = server.call("wait_job", {"job": "good", "timeout": 120})["structuredContent"]
    assert waited["exitStatus"] == 0 and waited["result"]["phase"] == "Succeeded", waited
    assert server.call("get_job", {"job": "good"})["structuredContent"]["result"]["phase"] == "Succeeded"
    assert not server.call("why_job", {"job": "good"})["isError"]
    logs = server.call("read_logs", {"job": "good", "tail": 2})["structuredContent"]["result"]
    assert [line.split(": ", 1)[1] for line in logs["lines"]] == ["step 8", "step 9"], logs
    assert server.call("read_logs", {"job": "good", "cursor": logs["cursor"]})["structuredContent"]["result"]["lines"] == []
    found = server.call("read_logs", {"job": "good", "grep": "step 3"})["structuredContent"]["result"]["lines"]
    assert len(found) == 1 and found[0].endswith("step 3"), found
    runs = server.call("list_runs")["structuredContent"]["result"]["items"]
    assert "good" in [run["name"] for run in runs], runs
    assert refused(server.call("get_job", {"job": "none"}))
    assert refused(server.call("get_job", {"job": "--all"}))
    checked = server.call("check_job", {"line": ["submit-pytorch", "--name", "x", "--workers=1", "--", "true"]})
    assert checked["structuredContent"]["exitStatus"] == 0, checked


def only_looks():
    for session in (False, True):
        server = Server(session=session)
        assert "delete_job" not in names(server) and len(names(server)) == 8
        assert server.ask("tools/call", {"name": "delete_job", "arguments": {"job": "good"}})["error"]["code"] == -32602
        looks(server)
        assert server.end() == 0


def progress_and_cancelling():
    server = Server()
    server.last = 100
    params = {"name": "wait_job", "arguments": {"job": "long", "timeout": 600}, "_meta": {**META, "progressToken": "p"}}
    server.write(json.dumps({"jsonrpc": "2.0", "id": 100, "method": "tools/call", "params": params}).encode() + b"\n")
    told = server.read()
    assert told["method"] == "notifications/progress" and told["params"]["progressToken"] == "p", told
    server.write(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":100}}\n')
    assert server.ask("tools/list")["result"]["tools"]
    assert server.end() == 0


def waits_beside_others():
    server = Server()
    params = {"name": "wait_job", "arguments": {"job": "long", "timeout": 5}, "_meta": META}
    server.write(json.dumps({"jsonrpc": "2.0", "id": "w", "method": "tools/call", "params": params}).encode() + b"\n")
    for _ in range(3):
        assert server.call("list_jobs")["structuredContent"]["result"]["items"]
    waited = server.read()
    assert waited["id"] == "w", waited
    result = waited["result"]["structuredContent"]["result"]
    assert "still Running after 5s" in result["verdict"]["message"] and result["followed"]["seconds"] >= 5, result
    assert server.end() == 0


def asked(server, tool, arguments):
    result = server.call(tool, arguments)
    assert result["resultType"] == "input_required", result
    return result["requestState"]


def answer(server, tool, arguments, state, go=True):
    content = {"ok": {"action": "accept", "content": {"go": go}}}
    return server.call(tool, arguments, requestState=state, inputResponses=content)


def changes_by_asking():
    server = Server("--allow-changes")
    assert "delete_job" in names(server)
    line = {"line": ["submit-pytorch", "--name", "made", "--workers=1", "--", "sleep", "1000"]}
    assert refused(server.call("submit_job", {"line": ["submit-pytorch", "--name", "x", "--env-file=/etc/passwd"]}))
    state = asked(server, "submit_job", line)
    assert refused(answer(server, "submit_job", {"line": [*line["line"], "more"]}, state))
    made = answer(server, "submit_job", line, state)
    assert made["structuredContent"]["exitStatus"] == 0, made
    assert server.call("get_job", {"job": "made"})["structuredContent"]["exitStatus"] == 0
    job = {"job": "made"}
    state = asked(server, "delete_job", job)
    number, _, mac = state.partition(".")
    for forged in (number + "." + "0" * len(mac), str(int(number) + 1) + "." + mac, state + "0", "x"):
        assert refused(answer(server, "delete_job", job, forged)), forged
    assert refused(answer(server, "suspend_job", job, state))
    assert "did not agree" in answer(server, "delete_job", job, state, go=False)["structuredContent"]["result"]
    assert refused(answer(server, "delete_job", job, state)), "a state works once"
    state = asked(server, "delete_job", job)
    gone = answer(server, "delete_job", job, state)
    assert gone["structuredContent"]["exitStatus"] == 0, gone
    assert refused(answer(server, "delete_job", job, state))
    assert refused(server.call("get_job", job))
    assert server.end() == 0


def changes_by_a_value():
    server = Server("--allow-changes", session=True)
    shown = server.call("rerun_job", {"job": "good", "name": "again"})["structuredContent"]["result"]
    assert shown["digest"].startswith("sha256:") and shown["namespace"] == "default", shown
    assert refused(server.call("rerun_job", {"job": "good", "name": "other", "confirm": shown["confirm"]}))
    made = server.call("rerun_job", {"job": "good", "name": "again", "confirm": shown["confirm"]})
    assert made["structuredContent"]["exitStatus"] == 0, made
    shown = server.call("delete_job", {"job": "again"})["structuredContent"]["result"]
    assert refused(server.call("delete_job", {"job": "good", "confirm": shown["confirm"]}))
    assert server.call("delete_job", {"job": "again", "confirm": shown["confirm"]})["structuredContent"]["exitStatus"] == 0
    assert server.end() == 0


def confirmed(server, tool, arguments):
    """Makes a change as a client whose user agrees."""
    if not server.session:
        return answer(server, tool, arguments, asked(server, tool, arguments))["structuredContent"]
    shown = server.call(tool, arguments)["structuredContent"]["result"]
    return server.call(tool, {**arguments, "confirm": shown["confirm"]})["structuredContent"]


def repairs_a_job(session):
    """An agent's work: submit, wait, read why it failed, repeat it with a change, compare."""
    server = Server("--allow-changes", session=session)
    broken, mended = "broken-" + str(session).lower(), "mended-" + str(session).lower()

    def submit(name, batch):
        script = 'if [ "$BATCH" -gt 8 ]; then echo "out of memory with batch $BATCH" >&2; exit 3; fi; echo trained'
        line = ["submit-pytorch", "--name", name, "--no-master", "--workers=1", "--restart-policy=Never", "--env", f"BATCH={batch}", "--", "sh", "-c", script]
        assert server.call("check_job", {"line": line})["structuredContent"]["exitStatus"] == 0
        assert confirmed(server, "submit_job", {"line": line})["exitStatus"] == 0

    submit(broken, 64)
    failed = server.call("wait_job", {"job": broken, "timeout": 120})
    assert not failed["isError"] and failed["structuredContent"]["exitStatus"] == 3, failed
    assert failed["structuredContent"]["result"]["phase"] == "Failed", failed
    why = server.call("why_job", {"job": broken})
    assert not why["isError"] and "3" in why["content"][0]["text"], why
    lines = server.call("read_logs", {"job": broken, "grep": "(?i)error|memory"})["structuredContent"]["result"]["lines"]
    assert lines and lines[-1].endswith("out of memory with batch 64"), lines
    submit(mended, 8)
    done = server.call("wait_job", {"job": mended, "timeout": 120})["structuredContent"]
    assert done["exitStatus"] == 0 and done["result"]["phase"] == "Succeeded", done
    compared = server.call("compare_runs", {"first": broken, "second": mended})
    assert "BATCH" in compared["content"][0]["text"], compared
    for job in (broken, mended):
        server.call("delete_job", {"job": job})
        assert server.call("get_job", {"job": job})["structuredContent"]["exitStatus"] in (0, 3), "deleted without consent"
        assert confirmed(server, "delete_job", {"job": job})["exitStatus"] == 0
    assert server.end() == 0


def hostile():
    server = Server()
    server.write(b"x" * (10 << 20) + b"\n")
    assert server.read()["error"]["code"] == -32600
    for line in (b"{", b"\xff\xfe\x00", b"[" * 100000, b'"text"', b"[]"):
        server.write(line + b"\n")
        assert server.read()["error"]["code"] in (-32700, -32600), line[:20]
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}).encode() + b"\n"
    writer = threading.Thread(target=server.write, args=(request * 1000,))
    writer.start()
    for _ in range(1000):
        assert "result" in server.read()
    writer.join()
    assert server.ask("server/discover")["result"]["supportedVersions"] == ["2026-07-28"]
    server.write(request[: len(request) // 2])
    assert server.end() == 0


if __name__ == "__main__":
    only_looks()
    progress_and_cancelling()
    waits_beside_others()
    changes_by_asking()
    changes_by_a_value()
    repairs_a_job(session=False)
    repairs_a_job(session=True)
    hostile()
