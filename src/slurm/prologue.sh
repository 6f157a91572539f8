# The variables that Slurm sets, from those of the training operator.
: "${SLURM_NNODES:=${PET_NNODES:-${WORLD_SIZE:-1}}}" "${SLURM_NODEID:=${PET_NODE_RANK:-${RANK:-0}}}"
slurm_first=${MASTER_ADDR:-${PET_MASTER_ADDR:-$(hostname)}}
slurm_number() { printf %s "$*" | cksum | cut -d ' ' -f 1; }
: "${SLURM_JOB_ID:=$(slurm_number "$SLURM_JOB_NAME $slurm_first ${SLURM_ARRAY_TASK_ID-}")}"
: "${SLURM_SUBMIT_DIR:=$PWD}"
[ -z "${SLURM_ARRAY_TASK_ID-}" ] || SLURM_ARRAY_JOB_ID=$(slurm_number "$SLURM_JOB_NAME")
SLURM_NODELIST=$slurm_first
SLURMD_NODENAME=$slurm_first
slurm_n=1
while [ "$slurm_n" -lt "$SLURM_NNODES" ]; do
  case $slurm_first in
    *-worker-0) slurm_node=${slurm_first%-0}-$slurm_n ;;
    *-0.*) slurm_node=${slurm_first%-0.*}-$slurm_n.${slurm_first#*-0.} ;;
    *) slurm_node=node-$slurm_n ;;
  esac
  [ "$slurm_n" != "$SLURM_NODEID" ] || SLURMD_NODENAME=$slurm_node
  SLURM_NODELIST=$SLURM_NODELIST,$slurm_node
  slurm_n=$((slurm_n + 1))
done
SLURM_PROCID=$((SLURM_NODEID * SLURM_NTASKS_PER_NODE))
SLURM_LOCALID=0 SLURM_NPROCS=$SLURM_NTASKS SLURM_JOBID=$SLURM_JOB_ID
SLURM_JOB_NODELIST=$SLURM_NODELIST SLURM_JOB_NUM_NODES=$SLURM_NNODES
SLURM_TASKS_PER_NODE=$SLURM_NTASKS_PER_NODE
for slurm_n in $(set | sed -n 's/^\(SLURMD*_[A-Z_]*\)=.*/\1/p'); do export "$slurm_n"; done

# scontrol: names the nodes, the first one first.
scontrol() {
  case "${1-} ${2-}" in
    "show hostname"*) printf '%s\n' "${3:-$SLURM_NODELIST}" | tr , '\n' ;;
    *) echo "scontrol $*: a pod has only \`scontrol show hostnames\`" >&2 ;;
  esac
}

# module
module() { echo "module $*: not loaded, since there are no modules here" >&2; }

# ml
ml() { echo "ml $*: not loaded, since there are no modules here" >&2; }

# srun: runs a program as the tasks of this pod.
srun() (
  trap : TERM
  tasks= nodes=$SLURM_NNODES node=$SLURM_NODEID total= hosts=
  while :; do
    case ${1-} in
      --nodes=* | --ntasks=* | --ntasks-per-node=* | --nodelist=*) name=${1%%=*} value=${1#*=} ;;
      --*=* | @BARE@) shift; continue ;;
      -[Nnw]?*) value=${1#-?} name=${1%"$value"} ;;
      --* | -?) name=$1 value=${2-}; shift ;;
      -*) shift; continue ;;
      *) break ;;
    esac
    shift
    case $name in
      --nodes | -N) nodes=${value%-*} ;;
      --ntasks | -n) total=$value ;;
      --ntasks-per-node) tasks=$value ;;
      --nodelist | -w) hosts=$value ;;
    esac
  done
  [ -n "$total$tasks" ] || [ "$nodes" -lt "$SLURM_NNODES" ] || total=$SLURM_NTASKS
  [ -z "$total" ] || [ "$total" -ge "$nodes" ] || nodes=$total
  if [ "$nodes" -lt "$SLURM_NNODES" ]; then
    # A step of fewer nodes. The name of another node is known without asking it.
    hosts=${hosts:-$(printf '%s\n' "$SLURM_NODELIST" | cut -d , -f "-$nodes")}
    case "$nodes ${1##*/}" in "1 hostname") echo "$hosts"; exit ;; esac
    case ,$hosts, in *,"$SLURMD_NODENAME",*) ;; *) exit 0 ;; esac
    [ "$nodes" -gt 1 ] || node=0
    tasks=${tasks:-$SLURM_NTASKS_PER_NODE}
  fi
  [ -n "$total" ] || [ -n "$tasks" ] || total=$SLURM_NTASKS
  total=${total:-$((tasks * nodes))}
  # The first nodes have one task more where the number is uneven.
  more=$((total % nodes)) tasks=$((total / nodes))
  RANK=$((node * tasks + (node < more ? node : more)))
  [ "$node" -ge "$more" ] || tasks=$((tasks + 1))
  SLURM_NNODES=$nodes SLURM_NODEID=$node SLURM_NTASKS=$total SLURM_NTASKS_PER_NODE=$tasks
  export SLURM_NNODES SLURM_NODEID SLURM_NTASKS SLURM_NTASKS_PER_NODE SLURM_PROCID SLURM_LOCALID
  if [ "$SLURM_NTASKS" -gt "$SLURM_NNODES" ]; then
    WORLD_SIZE=$total
    export RANK LOCAL_RANK WORLD_SIZE
  fi
  SLURM_PROCID=$RANK SLURM_LOCALID=0 LOCAL_RANK=0
  [ "$tasks" -gt 1 ] || { "$@"; exit; }
  started= status=0
  while [ "$LOCAL_RANK" -lt "$tasks" ]; do
    "$@" &
    started="$started $!" LOCAL_RANK=$((LOCAL_RANK + 1)) RANK=$((RANK + 1))
    SLURM_LOCALID=$LOCAL_RANK SLURM_PROCID=$RANK
  done
  # The others would wait for ever for a task that has failed, so they are ended.
  while [ -n "$started" ]; do
    running=
    for task in $started; do
      if kill -0 "$task" 2>/dev/null; then running="$running $task"; continue; fi
      wait "$task"
      code=$?
      [ "$code" -eq 0 ] || [ "$status" -ne 0 ] || { status=$code; kill $started 2>/dev/null; }
    done
    started=$running
    # `wait -n` would miss a task that has ended already.
    [ -z "$started" ] || sleep 0.2 2>/dev/null || sleep 1
  done
  exit "$status"
)

# Waits for the script, which runs in the background. Its programs get the SIGTERM that ends the pod, too, and may save.
slurm_finish() {
  slurm_child=$!
  slurm_ends=
  trap 'slurm_ends=1; trap : TERM; kill -TERM 0' TERM
  wait "$slurm_child"
  slurm_status=$?
  while [ -n "$slurm_ends" ] && kill -0 "$slurm_child" 2>/dev/null; do
    wait "$slurm_child"
    slurm_status=$?
  done
  exit "$slurm_status"
}
