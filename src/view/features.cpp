// docs/features.md prints these rows. A test parses each line, and finds its words in the case.
#include "view/features.h"

namespace trainctl::view {

namespace {

constexpr Feature missing(std::string_view name, std::string_view instead = "") {
  return {.name = name, .say = "", .instead = instead};
}

// clang-format off
constexpr Feature k_jobs[] = {
    // name, line, case, scenario
    {"a PyTorchJob", "submit-pytorch --workers=1", "submit/plain", "ddp"},
    {"a TFJob", "submit-tf --workers=2", "submit/acceptance-tf-simple", "tf-ps-workers"},
    {"an MPIJob of the training operator or of mpi-operator", "submit-mpi --workers=2", "submit/mpi-where-v2beta1-alone-is-served", "beyond/submit-mpi"},
    {"an XGBoostJob", "submit-xgboost --workers=2", "submit/acceptance-xgboost-rabit"},
    {"a TrainJob of Kubeflow Trainer v2", "submit-pytorch --api=trainer", "submit/trainer-client-dry-run", "beyond/submit-both"},
    {"a worker count that leaves out the master", "submit-pytorch --workers=1", "submit/seed-004-pytorch", "ddp"},
    {"workers without a master", "submit-pytorch --no-master --workers=2", "submit/acceptance-pytorch-elastic", "ddp-no-master"},
    {"pods, GPUs and world size, printed before the job is created", "submit-pytorch --workers=1 --gpu 1", "submit/acceptance-pytorch-mnist-nccl"},
    {"arguments, environment and resources of one role", "submit-pytorch --master-cpu=2 --master-env ROLE=master --master-arg=evaluate", "submit/flags-of-roles"},
    {"resources of each TensorFlow role", "submit-tf --ps-memory=8Gi --worker-gpu=1", "submit/flags-of-tf-roles"},
    {"parameter servers", "submit-tf --ps=2", "submit/seed-001-tensorflow", "tf-ps-workers"},
    {"a TensorFlow job that succeeds with all of its workers", "submit-tf --success-policy=AllWorkers", "submit/flags-of-tf-roles"},
    {"elastic training between two numbers of workers", "submit-pytorch --no-master --min-replicas=1 --max-replicas=2", "submit/acceptance-pytorch-elastic"},
    {"processes in each replica", "submit-pytorch --nproc-per-node=2", "submit/acceptance-pytorch-cpu"},
    {"a script started by torchrun", "submit-pytorch --torchrun train.py", "submit/flag-torchrun"},
    {"arguments without a shell in between", "submit-pytorch -- --epochs 3", "submit/dry-run-keeps-words-byte-for-byte", "fidelity"},
    {"another entrypoint", "submit-pytorch --command -- python3 train.py", "submit/acceptance-pytorch-simple", "ddp"},
    {"an image of its own for one role", "submit-pytorch --master-image train:master", "submit/flags-of-roles"},
    {"a generated name with a prefix", "submit-pytorch --job-name-prefix ddp", "submit/generated-name"},
    {"the pull policy", "submit-pytorch --image-pull-policy Always", "submit/acceptance-pytorch-simple"},
    {"the working directory", "submit-pytorch --working-dir /work", "submit/flags-container"},
    {"another attempt after a lost node, an eviction or an exit code", "submit-pytorch --wait --retry 2 --retry-on exit=3", "submit/retry-succeeds", "retry"},
    {"named groups of settings", "submit-pytorch --preset big", "config/presets-in-order"},
    {"templates of your own", "submit-pytorch --template mine.yaml", "submit/dry-run-own-template"},
    {"a job from a file, with fields set", "submit job.yaml --set /spec/runPolicy/backoffLimit=3", "submit/set-makes-lists-and-removes"},
    {"a job from a file, with flags", "submit job.yaml --workers 2 --env A=1", "submit/file-dry-run"},
    {"any field, from a fragment of a manifest", "submit-pytorch --overlay site.yaml", "submit/dry-run-overlay-and-set"},
    {"the manifest, without a cluster", "submit-pytorch --dry-run", "submit/dry-run-json", "dry-run"},
    {"labels and annotations on the job and its pods", "submit-pytorch --label team=vision --annotation run=7", "submit/flags-container"},
    {"a label that names the owner", "submit-pytorch", "submit/seed-002-pytorch"},
    {"no Istio sidecar, unless you ask for it", "submit-pytorch", "submit/seed-002-pytorch"},
    {"init containers, from a fragment", "submit-pytorch --overlay download.yaml", "submit/overlay-adds-an-init-container"},
};

constexpr Feature k_resources[] = {
    {"GPUs of each replica", "submit-pytorch --gpu 1", "submit/acceptance-pytorch-mnist-nccl", "local/gpus"},
    {"another GPU resource, such as AMD's or a MIG slice", "submit-pytorch --gpu 2 --gpu-resource amd.com/gpu", "submit/flags-resources"},
    {"CPU and memory", "submit-pytorch --cpu 4 --memory 16Gi", "submit/flags-resources", "check"},
    {"limits that differ from the requests", "submit-pytorch --cpu-limit 8 --memory-limit 32Gi", "submit/flags-resources"},
    {"the size of /dev/shm", "submit-pytorch --shm-size 8Gi", "submit/flags-resources"},
    {"a GPU model", "submit-pytorch --gpu-product NVIDIA-L4", "submit/flag-node"},
};

constexpr Feature k_data[] = {
    {"a volume claim", "submit-pytorch --pvc data:/data", "submit/acceptance-tf-summaries", "fetch"},
    {"a volume claim, read-only", "submit-pytorch --pvc data:/data:ro", "submit/flags-volumes"},
    {"a directory of a volume claim", "submit-pytorch --pvc data/sub:/data", "submit/flags-volumes"},
    {"a shared claim that submit creates", "submit-pytorch --pvc-new data:10Gi:/data", "submit/pvc-new"},
    {"a shared claim that is deleted with the job", "submit-pytorch --pvc-new claimname=data,size=10Gi,path=/data,delete-with-job", "submit/pvc-new-deleted-with-job"},
    {"a claim for each replica, deleted with its pod", "submit-pytorch --ephemeral-pvc 10Gi:/scratch", "submit/flag-ephemeral-pvc"},
    {"a copy of a claim or snapshot for each replica", "submit-pytorch --ephemeral-pvc path=/data,size=10Gi,from-snapshot=snap", "submit/flag-ephemeral-pvc"},
    {"different claims for master and workers", "submit-pytorch --master-pvc data-0:/data --worker-pvc data-1:/data", "submit/flags-of-roles"},
    {"a warning about a claim that one node may mount", "check submit-pytorch --workers=1 --pvc data:/data", "check/processes-do-not-fit", "check"},
    {"empty directories, on disk or in memory", "submit-pytorch --scratch /scratch:10Gi", "submit/flag-scratch"},
    {"a directory of the node", "submit-pytorch --volume /scratch:/scratch", "submit/flags-volumes"},
    {"a config map as files", "submit-pytorch --configmap-volume settings:/settings", "submit/flags-volumes", "ddp"},
    {"a secret as files", "submit-pytorch --secret-volume keys:/keys", "submit/flags-volumes", "local/storage"},
    {"local files, without building an image", "submit-pytorch --code .", "submit/code-reused", "code"},
    {"a local source tree, without building an image", "submit-pytorch --code .", "submit/code-created", "code"},
    {"a git clone before the training", "submit-pytorch --git-sync repository=https://git.test/x.git,path=/code", "submit/flag-git-sync", "local/git-sync"},
    {"git credentials from a secret for that clone", "submit-pytorch --git-sync repository=https://git.test/x.git,path=/code,secret=hub", "submit/flag-git-sync", "local/git-sync"},
    {"a download from S3, MinIO or a web server before the training", "submit-pytorch --download source=s3://data/mnist/,path=/data", "submit/flag-download", "local/download"},
};

constexpr Feature k_environment[] = {
    {"a variable", "submit-pytorch --env LR=0.1", "submit/flags-environment", "local/storage"},
    {"a variable from a key of a secret", "submit-pytorch --env-secret TOKEN=hub:token", "submit/flags-environment", "local/storage"},
    {"a variable from a key of a config map", "submit-pytorch --env-configmap SEED=settings:seed", "submit/flags-environment"},
    {"all keys of a secret or config map", "submit-pytorch --env-from-secret minio --env-from-configmap defaults", "submit/flags-environment"},
    {"variables from a file", "submit-pytorch --env-file run.env", "submit/flag-env-file"},
    {"a variable from a field of the pod", "submit-pytorch --env-field NODE=spec.nodeName", "submit/flags-environment"},
    {"a variable of your shell", "submit-pytorch --env MODE", "submit/flags-environment"},
    {"a variable of one role", "submit-pytorch --master-env ROLE=master", "submit/flags-of-roles"},
    {"a pull secret", "submit-pytorch --image-pull-secret registry", "submit/seed-002-pytorch"},
    {"a default pull secret", "config set image-pull-secret registry", "config/set-pull-secret"},
    {"a warning about credentials in plain variables", "submit-pytorch --env AWS_SECRET_ACCESS_KEY=abc", "submit/credential-warning"},
    {"no credentials in traces", "whoami --verbose=9", "whoami/verbose-shows-no-secret"},
    {"no credentials in the history", "submit-pytorch --env HF_TOKEN=abc", "submit/noted"},
    {"a service account", "submit-pytorch --service-account trainer", "submit/flags-environment"},
    {"keys and address of an S3 or MinIO server", "submit-pytorch --s3 minio:https://minio.example.com", "submit/flag-s3"},
};

constexpr Feature k_scheduling[] = {
    {"nodes by label", "submit-pytorch --node-selector pool=gpu", "submit/flags-placement", "check"},
    {"tolerations", "submit-pytorch --toleration nvidia.com/gpu=present:NoSchedule", "submit/flags-placement"},
    {"refusal of a malformed toleration", "submit-pytorch --toleration gpu=yes:NoSchedule", "submit/malformed-toleration", "bad-flags"},
    {"pods close together, or spread", "submit-pytorch --pack required=zone --spread node", "submit/flag-pack"},
    {"certain nodes, or all but certain ones", "submit-pytorch --node gpu-1 --exclude-node gpu-3", "submit/flag-node"},
    {"a priority class", "submit-pytorch --priority-class high", "submit/flags-placement"},
    {"gang scheduling", "submit-pytorch --gang-min-available 2 --gang-timeout 10m", "submit/flag-gang"},
    {"a queue of Kueue", "submit-pytorch --queue team", "submit/flags-placement", "beyond/why"},
    {"a queue of Volcano", "submit-pytorch --gang-queue research", "submit/flag-gang"},
    {"another scheduler", "submit-pytorch --scheduler-name volcano", "submit/flags-placement"},
    {"user, group and capabilities", "submit-pytorch --run-as 1000:100 --run-as-non-root --add-capability IPC_LOCK", "submit/flags-security"},
};

constexpr Feature k_lifecycle[] = {
    {"which pods are deleted at the end", "submit-pytorch --clean-pod-policy All", "submit/flags-lifecycle", "fetch"},
    {"a limit of restarts", "submit-pytorch --backoff-limit 3", "submit/flags-lifecycle", "crash-loop"},
    {"restarts that depend on the exit code", "submit-pytorch --restart-policy ExitCode", "submit/flags-lifecycle"},
    {"a deadline that the cluster keeps", "submit-pytorch --active-deadline 2d", "submit/flags-lifecycle"},
    {"a limit for the start", "wait ddp --start-timeout 30s", "wait/cannot-start", "wrong-image"},
    {"deletion some time after the end", "submit-pytorch --ttl-after-finish 12h", "submit/flags-lifecycle", "local/lifecycle"},
    {"a job that is created suspended", "submit-pytorch --suspend", "submit/flag-suspend"},
    {"suspending a job", "suspend ddp", "suspend/plain", "local/lifecycle"},
    {"resuming a job", "resume ddp", "resume/waits-for-the-old-pods", "local/lifecycle"},
    {"deleting one job or several", "delete ddp mnist", "delete/plain", "story"},
    {"deleting jobs by label", "delete --selector sweep=lr", "delete/labels"},
    {"deleting all jobs of a namespace", "delete --all", "delete/asks-on-a-terminal"},
    {"waiting until the pods are gone", "delete ddp --wait", "delete/wait"},
    {"deleting old jobs that have ended", "delete --finished --older-than 7d", "delete/finished-older-than"},
    {"the same job again, with changes", "rerun ddp --env LR=0.01", "rerun/gone-from-the-history", "rerun"},
    {"deletion of everything that was created for a job", "submit job.yaml", "submit/beside-created-and-owned", "config-beside"},
    {"leaving or deleting the job at Ctrl-C", "logs -f ddp --on-interrupt=cancel", "logs/follow-interrupted-cancels", "graceful-stop"},
};

constexpr Feature k_observing[] = {
    {"jobs of all kinds in one table", "get", "get/both-generations", "story"},
    {"jobs of all namespaces", "get --all-namespaces", "get/all-namespaces"},
    {"jobs by phase", "get --status Failed", "get/status"},
    {"jobs by label and kind", "get --selector team=vision", "get/all-namespaces"},
    {"a list that follows changes", "get --watch", "get/watch"},
    {"JSON", "get ddp --output json", "get/json-one", "exit-code"},
    {"YAML", "get --output yaml", "get/yaml-list"},
    {"names", "get --output name", "get/name"},
    {"more columns", "get ddp --output wide", "get/wide-one"},
    {"columns of your choice", "get --output custom-columns=JOB:.name", "get/custom-columns"},
    {"JSONPath", "get --output jsonpath={.phase}", "get/jsonpath"},
    {"a job with its replicas and pods", "describe ddp", "describe/plain", "describe"},
    {"reasons of single containers", "describe ddp", "describe/running-but-for-one-that-cannot-start", "describe"},
    {"events of a job and its pods, in order", "events ddp", "events/plain", "describe"},
    {"why a job does not run", "why ddp", "why/image-cannot-be-pulled", "beyond/why"},
    {"the log of rank 0", "logs ddp", "logs/plain", "story"},
    {"the logs of all replicas, each line with its name", "logs ddp --all", "logs/all", "many-replicas"},
    {"a replica by its role", "logs ddp --role worker", "logs/role-every-pod-gone"},
    {"a replica by its index", "logs ddp/worker-0", "logs/replica-tail"},
    {"a replica by its rank", "logs ddp --rank 0,last", "logs/gone-from-the-history-last-rank"},
    {"following a log", "logs --follow ddp", "logs/follow-fails", "follow-at-once"},
    {"following before the pod exists", "submit-pytorch --follow", "submit/follow-succeeds", "story"},
    {"following across restarts and lost connections, every line once", "logs --follow --all ddp", "logs/follow-restarted-thrice-unseen", "restarts"},
    {"following replicas that come later", "logs --follow --all ddp", "logs/follow-pod-replaced-unseen"},
    {"the job's verdict as exit status of following", "logs --follow ddp", "logs/follow-fails", "exit-code"},
    {"the last lines, or those since a time, with time stamps", "logs ddp --tail 2 --since 10m --timestamps", "logs/times-of-lines"},
    {"the log of the run before a restart", "logs ddp --previous", "logs/all-previous"},
    {"the log of an init container", "logs ddp --container download", "logs/of-an-init-container"},
    {"log lines as JSON", "logs ddp --all --output json", "logs/all-json"},
    {"logs in a directory", "logs ddp --save-logs out", "logs/save-logs"},
    {"a command in a replica", "exec ddp -- true", "exec/leader-by-default", "exec"},
    {"a shell in a replica", "exec --stdin --tty ddp/worker-0 -- vi", "exec/on-a-terminal", "exec"},
    {"a port of a replica", "port-forward ddp 6006", "port-forward/ended", "port-forward"},
    {"which replica failed, how, and its last lines", "wait ddp", "wait/last-words", "fail"},
};

constexpr Feature k_results[] = {
    {"files from a running replica", "cp ddp/worker-0:model .", "cp/file-here", "cp"},
    {"files from a claim after the pods are gone", "fetch ddp:/data/model results", "fetch/file-by-helper", "fetch"},
    missing("an upload of results when the job ends", "`trainctl fetch` copies them to you"),
    {"a record of each run: manifest, images, duration and verdict", "history 1 --output json", "history/one-json"},
};

constexpr Feature k_pipelines[] = {
    {"submitting and waiting in one line", "submit-pytorch --wait", "submit/retry-succeeds", "verdicts"},
    {"waiting for success or failure", "wait ddp", "wait/last-words", "verdicts"},
    {"an exit status for each kind of end", "wait ddp", "wait/deleted-meanwhile", "exit-statuses"},
    {"a quick end when a job cannot start", "wait ddp --start-timeout 30s", "wait/cannot-start", "wrong-image"},
    {"a limit for waiting", "wait ddp --timeout 2h", "wait/timeout", "verdicts"},
    {"deleting the job when the time is over", "wait ddp --timeout 2h --on-give-up=delete", "wait/timeout-deletes", "beyond/follow-trainjob"},
    {"deleting the job at a signal", "logs --follow ddp --on-interrupt=cancel", "logs/follow-interrupted-cancels", "graceful-stop"},
    {"a dry run without a cluster", "submit-pytorch --dry-run", "submit/dry-run-needs-no-kubeconfig", "dry-run"},
    {"a dry run through admission", "submit-pytorch --dry-run=server", "submit/dry-run-server", "dry-run"},
    {"failing if the job exists", "submit-pytorch", "submit/exists", "exists"},
    {"leaving a job that exists", "submit-pytorch --if-exists=skip", "submit/exists-skip", "exists"},
    {"replacing a job that exists", "submit-pytorch --if-exists=replace", "submit/exists-replace", "exists"},
    {"joining a job that exists", "submit-pytorch --if-exists=attach", "submit/exists-attach", "exists"},
    {"the created job as JSON", "submit-pytorch --output json", "submit/json"},
    {"no questions", "delete --all --yes", "delete/yes-on-a-terminal"},
    {"the service account of a pod as credential", "whoami", "whoami/in-a-pod"},
    {"annotations and a summary in GitHub Actions", "logs --follow ddp", "logs/follow-fails-in-github", "ci-workflow"},
    {"folded logs in GitLab", "submit-pytorch --follow", "submit/follow-in-gitlab", "ci-templates"},
    {"events as JSON lines", "events ddp --watch --output json", "events/watch-json"},
    {"the verdict as a file, for a step of a pipeline", "wait ddp --result-file report.json", "wait/cannot-start", "exit-statuses"},
};

constexpr Feature k_access[] = {
    {"another context", "get --context test", "config/local-gives-way-to-a-context"},
    {"another namespace", "history --namespace team", "history/newest-of-a-namespace"},
    {"several kubeconfig files", "whoami --context other", "common/several-kubeconfigs"},
    {"credential plugins", "whoami", "tests/conformance/cases/plugins.yaml"},
    {"acting as someone else", "whoami --as bob --as-group ops", "whoami/acting-as"},
    {"proxies, a CA and a server name of your own", "whoami --certificate-authority ca.pem --tls-server-name api", "tests/e2e/ways.sh"},
    {"defaults in a file", "config view --origin", "config/view-origin"},
    {"defaults in the repository", "submit-pytorch", "config/nearest-wins"},
    {"defaults in variables", "submit-pytorch", "config/variable-of-a-flag"},
    {"completion in bash, zsh and fish", "completion bash", "completion/bash"},
    {"completion of the names of jobs", "completion bash", "complete/jobs"},
    {"which cluster, and as whom", "whoami", "whoami/plain", "whoami"},
};

constexpr Feature k_safety[] = {
    {"a missing operator, named", "submit-pytorch", "submit/operator-not-installed", "no-operator"},
    {"names that pods could not have, refused", "submit-pytorch", "submit/name-too-long", "bad-flags"},
    {"missing claims, secrets, config maps and accounts", "check submit-pytorch --service-account robot", "check/all-wrong", "check"},
    {"claims that cannot serve all replicas", "check submit-pytorch --pvc data:/data", "check/all-wrong", "check"},
    {"rights that the run will need", "check submit-pytorch", "check/may-not-look", "check"},
    {"quotas, and pods that admission refuses", "check submit-pytorch --gpu 8", "check/all-wrong", "check"},
    {"nodes that could host the replicas", "check submit-pytorch --gpu 8", "check/all-wrong", "check"},
    missing("Istio injection that a namespace demands", "templates switch it off for each pod"),
    {"processes that do not fit the GPUs or the world size", "check submit-pytorch --gpu 1 --nproc-per-node 4", "check/processes-do-not-fit"},
    {"a question before much is deleted, on a terminal", "delete --all", "delete/asks-on-a-terminal"},
    {"no credentials for the program that --notify runs", "wait ddp --notify ./tell", "tests/work/notify/notify_test.cpp", "local/notify"},
};

constexpr Feature k_local[] = {
    {"the replicas on this machine, with the same environment", "submit-pytorch --local -- python3 train.py", "local/dry-run", "local/hello"},
    {"the environment of each replica, before there is a job", "env submit-pytorch --workers=1", "env/of-a-submit-line"},
};

constexpr Feature k_program[] = {
    {"one static program that needs no other", "version", "packaging/test_package"},
    {"nothing in the cluster but the operator", "get", "get/plain", "namespaced-rights"},
    {"packages and a container image", "version", "packaging/test_deb"},
    {"a start in a sixth of kubectl's time", "version", "script/bench"},
    {"documented exit statuses", "help exit-codes", "help/exit-codes"},
    {"documented fields of JSON", "help reports", "help/reports"},
};
// clang-format on

constexpr FeatureArea k_areas[] = {
    {"jobs and their shape", k_jobs},
    {"resources", k_resources},
    {"data and volumes", k_data},
    {"environment and secrets", k_environment},
    {"scheduling", k_scheduling},
    {"life of a job", k_lifecycle},
    {"observing", k_observing},
    {"results", k_results},
    {"pipelines", k_pipelines},
    {"configuration and access", k_access},
    {"safety", k_safety},
    {"without a cluster", k_local},
    {"the program", k_program},
};

}  // namespace

std::span<const FeatureArea> feature_areas() {
  return k_areas;
}

}  // namespace trainctl::view
