# The variables that Slurm sets, from those of the training operator.
: "${SLURM_NNODES:=${PET_NNODES:-${WORLD_SIZE:-1}}}" "${SLURM_NODEID:=${PET_NODE_RANK:-${RANK:-0}}}"
slurm_first=${MASTER_ADDR:-${PET_MASTER_ADDR:-$(hostname)}}
slurm_number() { printf %s "$*" | cksum | cut -d ' ' -f 1; }
: "${SLURM_JOB_ID:=$(slurm_number "$SLURM_JOB_NAME $slurm_first ${SLURM_ARRAY_TASK_ID-}")}"
: "${SLURM_RESTART_COUNT:=0}" "${SLURM_SUBMIT_DIR:=$PWD}"
[ -z "${SLURM_ARRAY_TASK_ID-}" ] || SLURM_ARRAY_JOB_ID=$(slurm_number "$SLURM_JOB_NAME")
SLURM_NODELIST=$slurm_first
SLURMD_NODENAME=$slurm_first
slurm_n=1
while [ "$slurm_n" -lt "$SLURM_NNODES" ]; do
  case $slurm_first in
    *-master-0) slurm_node=${slurm_first%-master-0}-worker-$((slurm_n - 1)) ;;
    *-0.*) slurm_node=${slurm_first%-0.*}-$slurm_n.${slurm_first#*-0.} ;;
    *) slurm_node=node-$slurm_n ;;
  esac
  [ "$slurm_n" != "$SLURM_NODEID" ] || SLURMD_NODENAME=$slurm_node
  SLURM_NODELIST=$SLURM_NODELIST,$slurm_node
  slurm_n=$((slurm_n + 1))
done
SLURM_NTASKS=$((SLURM_NNODES * SLURM_NTASKS_PER_NODE))
SLURM_PROCID=$((SLURM_NODEID * SLURM_NTASKS_PER_NODE))
SLURM_LOCALID=0 SLURM_NPROCS=$SLURM_NTASKS SLURM_JOBID=$SLURM_JOB_ID
SLURM_JOB_NODELIST=$SLURM_NODELIST SLURM_JOB_NUM_NODES=$SLURM_NNODES
SLURM_TASKS_PER_NODE=$SLURM_NTASKS_PER_NODE
for slurm_n in $(set | sed -n 's/^\(SLURMD*_[A-Z_]*\)=.*/\1/p'); do export "$slurm_n"; done

# scontrol: names the nodes, the first of which is the master.
scontrol() {
  case "${1-} ${2-}" in
    "show hostname"*) printf '%s\n' "${3:-$SLURM_NODELIST}" | tr , '\n' ;;
    *) echo "scontrol $*: a pod has only \`scontrol show hostnames\`" >&2 ;;
  esac
}

# module
module() { echo "module $*: the image has what modules give" >&2; }

# ml
ml() { echo "ml $*: the image has what modules give" >&2; }

# srun: runs a program as the tasks of this pod.
srun() (
  tasks=$SLURM_NTASKS_PER_NODE nodes=$SLURM_NNODES total= hosts=
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
  if [ -n "$total" ]; then
    [ "$total" -ge "$nodes" ] || nodes=$total
    tasks=$(((total + nodes - 1) / nodes))
  fi
  if [ "$nodes" -lt "$SLURM_NNODES" ]; then
    # A step of fewer nodes. The name of another node is known without asking it.
    case ${1##*/} in hostname) echo "${hosts:-$slurm_first}"; exit ;; esac
    case ,${hosts:-$slurm_first}, in *,"$SLURMD_NODENAME",*) ;; *) exit 0 ;; esac
  fi
  [ "$tasks" -gt 1 ] || { "$@"; exit; }
  SLURM_NTASKS_PER_NODE=$tasks SLURM_NTASKS=$((nodes * tasks)) WORLD_SIZE=$((nodes * tasks))
  export SLURM_NTASKS SLURM_NTASKS_PER_NODE SLURM_PROCID SLURM_LOCALID RANK LOCAL_RANK WORLD_SIZE
  LOCAL_RANK=0 started= status=0
  while [ "$LOCAL_RANK" -lt "$tasks" ]; do
    SLURM_LOCALID=$LOCAL_RANK RANK=$((SLURM_NODEID * tasks + LOCAL_RANK))
    SLURM_PROCID=$RANK
    "$@" &
    started="$started $!" LOCAL_RANK=$((LOCAL_RANK + 1))
  done
  # The others would wait for ever for a task that has failed.
  for task in $started; do
    wait -n || { status=$?; kill $started 2>/dev/null; break; }
  done
  wait
  exit "$status"
)

# The script itself.
slurm_script=$1
shift
eval "$slurm_script"
