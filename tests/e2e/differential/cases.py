"""The jobs that both clusters run: their ends, restarts, policies and what is done to them meanwhile."""

from building import (IDLE, LEAD, NO_CLEANING, active, after, at_first, born, both, case, condition, delete_job, delete_pod,
                      event, expired, gone, job, last_ends_late, patch, pods, role, scale, suspend)


# The launcher's own init container asks for more ephemeral storage than the node of the real test cluster has:
# it stays unscheduled there, and for this reason everywhere.
NOWHERE = {"nodeSelector": {"zone": "mars"}}


def limited(backoff, **more):
    return {"backoffLimit": backoff, **more}


def failing(restart, code, policy=None, master="sleep 6", **more):
    """A master that lives a while and a worker that fails."""
    return job("pytorch", policy or NO_CLEANING, Master=role(master, restart=restart),
               Worker=role(f"echo failing; sleep 3; exit {code}", restart=restart, **more))


def two(policy, master=LEAD, worker="sleep 1", restart="Never"):
    return job("pytorch", policy, Master=role(master, restart=restart), Worker=role(worker, restart=restart))


def limited_loop(backoff, clean):
    """A worker that fails, and runs on when it was restarted: else the end would depend on the moment."""
    return job("pytorch", limited(backoff, cleanPodPolicy=clean), Master=role(IDLE, restart="OnFailure"),
               Worker=at_first("echo failing; sleep 3; exit 9", IDLE))


# The container's first process cannot be ended by a signal of its own: its child is.
KILLED = 'exec 2>/dev/null; sleep 3; sh -c "kill -{} \\$\\$"; exit $?'
BRIEFLY = ("--wait", "--timeout", "5s")
LOOPING = both(event("BackOff"), event("CrashLoopBackOff"))

ENDS = [
    case("ok", two(NO_CLEANING, f"echo master; {LEAD}; echo done", "echo worker; sleep 1")),
    case("ok-onfailure", two(NO_CLEANING, restart="OnFailure")),
    case("ok-default", job("pytorch", Master=role(LEAD, restart=None), Worker=role("sleep 1", restart=None))),
    case("ok-alone", job("pytorch", NO_CLEANING, Master=role("sleep 2"))),
    case("clean-none", two(NO_CLEANING, worker=IDLE)),
    case("clean-running", two({"cleanPodPolicy": "Running"}, worker=IDLE)),
    case("clean-all", two({"cleanPodPolicy": "All"}, worker=IDLE)),
    case("clean-unset", two(None, worker=IDLE)),
    case("clean-typo", two({"cleanPodPolicy": "none"}, worker=IDLE)),
    case("clean-running-failed", two({"cleanPodPolicy": "Running"}, f"{LEAD}; exit 4", IDLE)),
    case("clean-all-failed", two({"cleanPodPolicy": "All"}, f"{LEAD}; exit 4", IDLE)),
    case("worker-fails", failing("Never", 7, master=IDLE)),
    case("master-fails", two(NO_CLEANING, f"echo bad >&2; {LEAD}; exit 3", IDLE)),
    case("worker-signal", two(NO_CLEANING, IDLE, KILLED.format(9))),
    case("worker-segv", two(NO_CLEANING, IDLE, KILLED.format(11))),
    case("code-255", two(NO_CLEANING, f"{LEAD}; exit 255", "sleep 1")),
    case("no-master", job("pytorch", NO_CLEANING, Worker=role("sleep 2", 2))),
    case("no-master-fails", job("pytorch", NO_CLEANING, Worker=role('case $HOSTNAME in *-1) sleep 8; exit 2;; esac; sleep 600', 2))),
]

RESTARTS = [
    case("onfailure-limit-0", limited_loop(0, "None")),
    case("onfailure-limit-1", limited_loop(1, "Running")),
    case("onfailure-limit-1-all", limited_loop(1, "All")),
    case("onfailure-loop", failing("OnFailure", 9, None, IDLE), LOOPING, quiet=1.0, moving=True),
    case("onfailure-recovers", job("pytorch", NO_CLEANING, Master=at_first("echo first; sleep 1; exit 5", "echo again; sleep 2"))),
    case("always-ends", job("pytorch", NO_CLEANING, Master=role("sleep 1", restart="Always")), LOOPING, quiet=1.0, moving=True),
    case("never-limit", failing("Never", 9, limited(2, **NO_CLEANING), IDLE)),
    case("exitcode-1", failing("ExitCode", 1, None, IDLE)),
    case("exitcode-127", failing("ExitCode", 127, None, IDLE)),
    case("exitcode-0", two(NO_CLEANING, restart="ExitCode")),
    case("exitcode-143", failing("ExitCode", 143, None, IDLE), born(4), quiet=0.5, moving=True),
    case("exitcode-master-130", job("pytorch", limited(1, **NO_CLEANING), Master=role("sleep 1; exit 130", restart="ExitCode")), born(3), quiet=0.5, moving=True),
    case("exitcode-ttl", failing("ExitCode", 1, {"ttlSecondsAfterFinished": 1, **NO_CLEANING}, IDLE), quiet=4.0),
    case("deadline", two({"activeDeadlineSeconds": 10, **NO_CLEANING}, IDLE, IDLE),
         steps=[(after(13), patch({"metadata": {"annotations": {"touched": "yes"}}}))]),
    case("pod-deadline", job("pytorch", NO_CLEANING, Master=role(IDLE, pod={"activeDeadlineSeconds": 6}))),
]

CHANGES = [
    case("ttl", two({"ttlSecondsAfterFinished": 1, **NO_CLEANING}), expired),
    case("ttl-failed", two({"ttlSecondsAfterFinished": 1, **NO_CLEANING}, f"{LEAD}; exit 1"), expired),
    case("ttl-0", job("pytorch", {"ttlSecondsAfterFinished": 0, "cleanPodPolicy": "Running"}, Master=role("sleep 4")), expired),
    case("suspended", two({"suspend": True}), condition("Suspended"), trainctl=BRIEFLY, quiet=2.0),
    case("suspend-resume", two(NO_CLEANING, 'trap "exit 0" TERM; sleep 15 & wait', IDLE),
         steps=[(both(condition("Running"), active(2)), suspend(True)),
                (both(condition("Suspended"), lambda view: not view.pods()), suspend(False))]),
    case("suspended-deleted", two({"suspend": True}), gone, steps=[(condition("Suspended"), delete_job())]),
    case("resume-first", two({"suspend": True, **NO_CLEANING}), steps=[(condition("Suspended"), suspend(False))]),
    case("delete-background", two(NO_CLEANING, IDLE, IDLE), gone, steps=[(active(2), delete_job())], quiet=5.0),
    case("delete-stubborn", job("pytorch", NO_CLEANING, Master=role('trap "" TERM; while :; do sleep 1; done')), gone,
         steps=[(active(1), delete_job())], quiet=5.0),
    case("pod-deleted-never", two(NO_CLEANING, IDLE, IDLE), steps=[(active(2), delete_pod("pod-deleted-never-worker-0"))]),
    case("pod-deleted-onfailure", two(NO_CLEANING, "sleep 25", IDLE, "OnFailure"), quiet=4.0,
         steps=[(active(2), delete_pod("pod-deleted-onfailure-worker-0"))]),
    case("pod-deleted-master", two(NO_CLEANING, 'trap "exit 143" TERM; sleep 20 & wait', IDLE, "OnFailure"), quiet=4.0,
         steps=[(active(2), delete_pod("pod-deleted-master-master-0"))]),
    case("scaled-up", job("pytorch", NO_CLEANING, Master=role("sleep 18"), Worker=role("sleep 1")),
         steps=[(condition("Running"), scale("pytorch", 2))]),
    case("scaled-down", job("pytorch", NO_CLEANING, Master=role("sleep 20"), Worker=role(IDLE, 2)),
         steps=[(active(3), scale("pytorch", 1))]),
    case("failed-then-suspended", two(NO_CLEANING, f"{LEAD}; exit 1", IDLE), condition("Failed"),
         steps=[(condition("Failed"), suspend(True))]),
    case("labelled", two(NO_CLEANING), steps=[(condition("Running"), patch({"metadata": {"labels": {"team": "blue"}}}))]),
]

KINDS = [
    case("tf-ps", job("tf", NO_CLEANING, PS=role(IDLE, 2), Worker=role(last_ends_late("sleep 8"), 2))),
    case("tf-chief", job("tf", {"cleanPodPolicy": "Running"}, Chief=role(LEAD), Worker=role(IDLE, 2), Evaluator=role(IDLE))),
    case("tf-all-workers", job("tf", NO_CLEANING, {"successPolicy": "AllWorkers"}, Worker=role('case $HOSTNAME in *-1) sleep 4;; esac; sleep 3', 2))),
    case("tf-worker-fails", job("tf", NO_CLEANING, Worker=role('case $HOSTNAME in *-1) sleep 8; exit 6;; esac; sleep 600', 2))),
    case("tf-limit", job("tf", limited(1, cleanPodPolicy="All"), Chief=role(IDLE), Worker=at_first("sleep 3; exit 2", IDLE))),
    case("tf-exitcode", job("tf", NO_CLEANING, Chief=role(IDLE), Worker=role("sleep 1; exit 137", restart="ExitCode")), born(4), quiet=0.5, moving=True),
    case("tf-ttl", job("tf", {"ttlSecondsAfterFinished": 1}, Worker=role("sleep 4")), expired),
    case("xgboost", job("xgboost", NO_CLEANING, Master=role(LEAD), Worker=role("sleep 1", 2))),
    case("xgboost-fails", job("xgboost", NO_CLEANING, Master=role(IDLE), Worker=role("sleep 3; exit 2"))),
    case("xgboost-clean", job("xgboost", {"cleanPodPolicy": "Running"}, Master=role(LEAD), Worker=role(IDLE))),
    case("paddle", job("paddle", NO_CLEANING, Worker=role("sleep 4", 2))),
    case("paddle-ps", job("paddle", NO_CLEANING, Master=role(LEAD), Worker=role("sleep 1", 2))),
    case("paddle-fails", job("paddle", NO_CLEANING, Worker=role('case $HOSTNAME in *-1) sleep 8; exit 2;; esac; sleep 600', 2))),
    case("jax", job("jax", NO_CLEANING, Worker=role("sleep 4", 2))),
    case("jax-fails", job("jax", NO_CLEANING, Worker=role('case $HOSTNAME in *-1) sleep 8; exit 6;; esac; sleep 600', 2))),
    case("jax-suspended", job("jax", {"suspend": True}, Worker=role("sleep 2", 2)), condition("Suspended"), trainctl=BRIEFLY, quiet=2.0),
    case("mpi", job("mpi", {"cleanPodPolicy": "Running"}, {"slotsPerWorker": 2}, Launcher=role("sleep 2", pod=NOWHERE), Worker=role(IDLE, 2)),
         both(after(9), pods(2, "Running")), trainctl=()),
    case("mpi-alone", job("mpi", NO_CLEANING, Launcher=role("sleep 2", pod=NOWHERE)), after(9), trainctl=()),
    case("elastic", job("pytorch", NO_CLEANING, {"nprocPerNode": "2", "elasticPolicy": {"minReplicas": 1, "maxReplicas": 3, "maxRestarts": 4,
                        "rdzvBackend": "c10d", "rdzvId": "meet"}}, Worker=role(last_ends_late("sleep 8"), 2))),
    case("elastic-exitcode", job("pytorch", NO_CLEANING, {"elasticPolicy": {"minReplicas": 1, "maxReplicas": 2}},
                                 Worker=role('case $HOSTNAME in *-1) sleep 8; exit 1;; esac; sleep 600', 2, "ExitCode"))),
]

ALL = ENDS + RESTARTS + CHANGES + KINDS
