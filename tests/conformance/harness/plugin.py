"""A fake credential plugin: a script that records how it was run and gives the next of its answers."""
import json
import os
import shlex
import signal

SCRIPT = """#!/bin/sh
# Written for one case; see tests/conformance/harness/plugin.py.
records={records}
run=1
until mkdir "$records/$run" 2>/dev/null; do run=$((run + 1)); done
here=$records/$run
printf %s "$KUBERNETES_EXEC_INFO" >"$here/info"
printf %s "$PWD" >"$here/cwd"
env >"$here/env"
for word; do printf '%s\\n' "$word"; done >"$here/args"
[ -t 0 ] && : >"$here/terminal"
answer=$run
[ -e "$records/answer-$answer" ] || answer=last
printf %s $$ >"$here/pid.new"
mv "$here/pid.new" "$here/pid"
[ -e "$records/hang-$answer" ] && exec sleep 600
[ -e "$records/stderr-$answer" ] && cat "$records/stderr-$answer" >&2
life=$(cat "$records/life-$answer")
if [ "$life" ]; then
  sed "s/@EXPIRES@/$(date -u -d "$life" +%Y-%m-%dT%H:%M:%S.%NZ)/" "$records/answer-$answer"
else
  cat "$records/answer-$answer"
fi
exit "$(cat "$records/exit-$answer")"
"""


def credential(answer):
    """An answer's text: `text` as it stands, else an ExecCredential of token, certificate, key and expires."""
    if "text" in answer:
        return answer["text"]
    status = {}
    for name, field in (("token", "token"), ("certificate", "clientCertificateData"), ("key", "clientKeyData")):
        if name in answer:
            status[field] = answer[name]
    if "expires" in answer:
        status["expirationTimestamp"] = "@EXPIRES@"
    version = answer.get("version", "client.authentication.k8s.io/v1")
    whole = {"kind": "ExecCredential", "apiVersion": version, "status": status}
    if "padding" in answer:
        whole["padding"] = "x" * answer["padding"]
    if answer.get("no-status"):
        del whole["status"]
    return json.dumps(whole)


class Plugin:
    def __init__(self, path, records, answers):
        self.records = records
        os.makedirs(records)
        for number, answer in enumerate(answers, 1):
            names = [str(number)] + (["last"] if number == len(answers) else [])
            for name in names:
                self.write(name, answer)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCRIPT.format(records=shlex.quote(records)))
        os.chmod(path, 0o755)

    def write(self, name, answer):
        life = f"+{str(answer['expires']).removesuffix('s')} seconds" if "expires" in answer else ""
        texts = {"answer": credential(answer), "exit": str(answer.get("exit", 0)), "life": life}
        if "stderr" in answer:
            texts["stderr"] = answer["stderr"]
        if answer.get("hang"):
            texts["hang"] = ""
        for kind, text in texts.items():
            with open(os.path.join(self.records, f"{kind}-{name}"), "w", encoding="utf-8") as file:
                file.write(text)

    def end(self):
        """Ends those that hang still: they carry this case's directory in their environment."""
        for run in self.runs():
            try:
                with open(f"/proc/{run['pid']}/environ", "rb") as file:
                    ours = os.path.dirname(self.records).encode() in file.read()
                if ours:
                    os.kill(int(run["pid"]), signal.SIGKILL)
            except (OSError, ValueError):
                pass  # it has ended by itself

    def runs(self):
        """How it was run, in order: info, cwd, env, args, terminal, pid."""
        found = []
        for name in sorted((n for n in os.listdir(self.records) if n.isdigit()), key=int):
            folder = os.path.join(self.records, name)
            # Written last: before that a run has only begun.
            if not os.path.exists(os.path.join(folder, "pid")):
                continue

            def read(part, folder=folder):
                path = os.path.join(folder, part)
                if not os.path.exists(path):
                    return ""
                with open(path, encoding="utf-8") as file:
                    return file.read()

            found.append({"info": json.loads(read("info") or "null"), "cwd": read("cwd"), "args": read("args").splitlines(),
                          "env": dict(line.split("=", 1) for line in read("env").splitlines() if "=" in line),
                          "terminal": os.path.exists(os.path.join(folder, "terminal")), "pid": read("pid")})
        return found
