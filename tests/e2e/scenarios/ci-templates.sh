# A template of packaging/ci would be green after a failed training, red after a good one, or run a parameter as a command.
# shellcheck shell=bash

# rendered FILE NAME=VALUE…: the arguments or the script that a CI system makes of a template, with its inputs, as
# NUL-terminated words behind the environment: NAME=VALUE… -- WORD….
cat >"$WORK/render.py" <<'END'
import re
import sys

import yaml

path, *pairs = sys.argv[1:]
given = dict(pair.split("=", 1) for pair in pairs)
documents = list(yaml.safe_load_all(open(path, encoding="utf-8")))


def filled(text, values, pattern):
    def value(match):
        return str(values[match.group(1)])
    return re.sub(pattern, value, str(text))


def defaults(rows, key):
    return {row["name"]: row[key] for row in rows if key in row} | given


first = documents[0]
environment, words = {}, []
if "runs" in first:  # GitHub
    values = {name: about.get("default") for name, about in first["inputs"].items()} | given
    (step,) = first["runs"]["steps"]
    environment = {name: filled(text, values, r"\$\{\{ inputs\.([a-z-]+) \}\}") for name, text in step["env"].items()}
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
elif "spec" in first and "inputs" in first["spec"]:  # GitLab
    values = {name: about.get("default") for name, about in first["spec"]["inputs"].items()} | given
    (job,) = documents[1].values()
    environment = {name: filled(text, values, r"\$\[\[ inputs\.([a-z-]+) \]\]") for name, text in job["variables"].items()}
    words = ["bash", "-eo", "pipefail", "-c", "\n".join(job["script"])]
elif "implementation" in first:  # Kubeflow Pipelines
    values = defaults(first["inputs"], "default") | {name["name"]: f"{name['name']}.out" for name in first["outputs"]}
    for word in first["implementation"]["container"]["command"]:
        words.append(word if isinstance(word, str) else str(values[next(iter(word.values()))]))
elif first["kind"] == "WorkflowTemplate":
    (template,) = first["spec"]["templates"]
    values = defaults(template["inputs"]["parameters"], "value")
    container = template["container"]
    words = container["command"] + [filled(one, values, r"\{\{inputs\.parameters\.([a-z]+)\}\}") for one in container["args"]]
else:
    (step,) = first["spec"]["steps"]
    values = defaults(first["spec"]["params"], "default")
    words = step["command"] + [filled(one, values, r"\$\(params\.([a-z]+)\)") for one in step["args"]]
sys.stdout.write("".join(f"{name}={value}\0" for name, value in environment.items()) + "".join(f"{one}\0" for one in words))
END

# template FILE NAME=VALUE…: runs it as its CI system would, with a name of its own for the job.
template() {
  local words=()
  mapfile -d '' -t words < <(/usr/bin/python3 "$WORK/render.py" "$E2E/../../packaging/ci/$1" image="$BUSYBOX" gpus=0 "${@:2}")
  env "${words[@]}"
}
export GITHUB_RUN_ATTEMPT=1 GITHUB_OUTPUT=$WORK/output RUNNER_TEMP=$WORK
github() { GITHUB_RUN_ID=$RANDOM GITHUB_ACTIONS=true template action.yml "$@"; }
gitlab() { CI_JOB_ID=$RANDOM GITLAB_CI=true template gitlab-component.yml "$@"; }
argo() { template argo.yml name="argo-$RANDOM" "$@"; }
tekton() { template tekton.yml name="tekton-$RANDOM" "$@"; }
kfp() { template kfp.yml "$@"; }
cd "$WORK" || exit 1

# shellcheck disable=SC2016 # the variables are the pods'
good='echo "rank $RANK says it'\''s \"done\"; $(true)"' bad='[ "$RANK" = 0 ] || exit 7; trap "exit 0" TERM; sleep 100 & wait'

for system in github gitlab argo tekton kfp; do
  rm -rf results
  run "$system" program="$good" workers=0
  expect_exit 0
  expect_out "rank 0 says it's \"done\"; "
  rm -rf results
  run "$system" program="$bad" workers=1
  expect_exit 3
done
expect_equal 'outputs of the action' "$(grep '^verdict=' output | xargs)" 'verdict=succeeded verdict=failed'
