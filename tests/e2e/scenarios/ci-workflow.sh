# A pipeline copied from packaging/ci would be green after a failed training, red after a good one, or leave no report.
# shellcheck shell=bash

# step FILE NAME PATH: what the workflow runs, as its CI system would read it out of the file.
step() {
  /usr/bin/python3 - "$E2E/../../packaging/ci/$1" <<'END'
import sys
import yaml

with open(sys.argv[1], encoding="utf-8") as text:
    workflow = yaml.safe_load(text)
if "jobs" in workflow:
    print(next(one["run"] for one in workflow["jobs"]["train"]["steps"] if one["name"] == "train"))
else:
    print("\n".join(workflow["train"]["script"]))
END
}

# No GPUs here; the rest is as the files have it.
export IMAGE=$BUSYBOX WORKERS=1 GPUS=0 GITHUB_RUN_ID=$RANDOM GITHUB_STEP_SUMMARY=$WORK/summary.md
# shellcheck disable=SC2016 # the variables are the pods'
{
  good='echo "rank $RANK trains"'
  bad='if [ "$RANK" = 0 ]; then trap "exit 0" TERM; sleep 100 & wait; fi
    echo "::set-output name=x::y"; exit 7'
}

# Each system runs a step with its own shell options.
github() { GITHUB_ACTIONS=true PROGRAM=$1 bash --noprofile --norc -eo pipefail -c "$(step github.yml)"; }
gitlab() { GITLAB_CI=true CI_JOB_ID=$RANDOM PROGRAM=$1 bash -eo pipefail -c "$(step gitlab.yml)"; }
cd "$WORK" || exit 1

WORKERS=0 GITHUB_RUN_ATTEMPT=1 run github "$good"
expect_exit 0
expect_out '^rank 0 trains$'
expect_err '^::group::logs of train-'
expect_err '^::endgroup::$'
refute_err '^::error'
expect_equal 'verdict' "$(jq -r .verdict.result results/report.json)" succeeded
expect_equal 'saved log' "$(cat results/logs/master-0.attempt-1.log)" 'rank 0 trains'
grep -q succeeded summary.md || fail 'the summary page does not say succeeded'

rm -r results summary.md
GITHUB_RUN_ATTEMPT=2 run github "$bad"
expect_exit 3
refute_out '^[[:space:]]*::set-output'
refute_err '^[[:space:]]*::set-output'
expect_err '^::error title=job train-[0-9]+-2 failed::.*worker-0'
expect_equal 'verdict' "$(jq -r '.verdict.result, .digest.replica, .digest.exitCode' results/report.json | xargs)" 'failed worker-0 7'
grep -q '<failure message="job train-' results/junit.xml || fail 'JUnit does not report the failure'
grep -q 'set-output' results/logs/worker-0.attempt-1.log || fail 'the log of the failed worker was not saved'

# No node has a GPU: the job is given up, sooner than in the file, and neither it nor a pod of it is left.
given_up() { GITHUB_ACTIONS=true PROGRAM=$good bash --noprofile --norc -eo pipefail -c "$(step github.yml | sed 's/--start-timeout 15m/--start-timeout 3s/')"; }
no_pods_left() { [[ ! $(kubectl get pods -o name -l "training.kubeflow.org/job-name=$1") ]]; }
rm -r results
GPUS=1 GITHUB_RUN_ATTEMPT=3 run given_up
expect_exit 9
expect_err "job train-$GITHUB_RUN_ID-3 was deleted \\(--on-give-up=delete\\)"
expect_equal 'verdict' "$(jq -r .verdict.result results/report.json)" not-started
job_gone "pytorchjob/train-$GITHUB_RUN_ID-3" || fail 'the job that was given up still exists'
await 'its pods are gone' 60 no_pods_left "train-$GITHUB_RUN_ID-3"

rm -r results
WORKERS=0 run gitlab "$good"
expect_exit 0
expect_err 'section_start:[0-9]+:trainctl_train-'
expect_err 'section_end:[0-9]+:trainctl_train-'
