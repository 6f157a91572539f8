// A script for any POSIX shell: it travels in the URL of the exec, so it is short.
#include "doctor/probe_script.h"

namespace trainctl::job {
namespace {

// Outside the container's own PID namespace, processes are found below the shell's parent: the
// guard of the embedded cluster, or the shim of a pod with hostPID. In it, that parent is 0, and
// so is that of each container's first process.
constexpr char k_probe[] = R"sh(n=$1 nl='
'
say() { printf '%s %s %s\n' "$n" "$1" "$2"; }
used() {
  s=
  while read -r u; do s="$s $u"; done <$d/stat
  set -- ${s##*) }
  [ $# -gt 12 ] && read -r u v </proc/uptime && u="$((${12}+${13})) $u"
}
say machine "$(uname -m)"
spy=$(command -v py-spy) why='no py-spy in the container'
limit=$(command -v timeout) && limit="$limit 4"
case $2 in
  /*) spy=$2; [ -x "$2" ] || spy= why='this machine cannot run the file of --py-spy';;
  ?*) spy=/tmp/trainctl-py-spy-$n
    trap 'rm -f "/tmp/trainctl-py-spy-$n"' EXIT
    trap 'exit 1' HUP INT TERM PIPE
    (umask 077; set -C; ${limit:+${limit% 4} 40} head -c "$2" >"$spy")
    [ "$(wc -c <"$spy")" -eq "$2" ] && chmod 700 "$spy" || spy= why='py-spy could not be copied to /tmp';;
esac 2>/dev/null
begin=$(date +%s)
pairs=
for d in /proc/[0-9]*; do
  while read -r k v; do [ "$k" != PPid: ] || { pairs="$pairs ${d#/proc/}:$v"; break; }; done <$d/status
done 2>/dev/null
level=" $PPID " tree=
while [ "$level" ]; do
  next=
  for x in $pairs; do
    case $level in *" ${x#*:} "*) [ "${x%:*}" = $$ ] || next="$next${x%:*} ";; esac
  done
  tree="$tree $next" level=${next:+ $next}
done
for p in $tree; do
  d=/proc/$p name=
  [ -r $d/status ] || continue
  say process $p
  while read -r k v w; do
    case $k in Name:) name=$v;; State:) say state $v;; PPid:) say parent $v;; SigCgt:) say caught $v;; esac
  done <$d/status
  c=$(tr '\000-\037' ' ' <$d/cmdline | head -c 300)
  say command "${c:-[$name]}"
  used && say used "$u"
  w= s=
  read -r w <$d/wchan
  say wchan "$w"
  read -r s <$d/syscall
  say syscall "$s"
  set -- $s
  case $1 in 0|63) [ -p $d/fd/$(($2)) ] && say pipe "$(readlink $d/fd/$(($2)))";; esac
  e=$(tr '\n\000' ' \n' <$d/environ |
    sed -n "s/^\(OMPI_COMM_WORLD_\)*RANK=/$n rank /p;s/^\(OMPI_COMM_WORLD_\)*LOCAL_RANK=/$n local /p
      s/^TORCH_[FN][A-Z_]*_TEMP_FILE=/$n stem /p")
  printf '%s\n' "$e"
  f=/tmp/nccl_trace_rank_
  case $e in *"$n stem /"*) f=${e##*"$n stem "} f=${f%%"$nl"*};; esac
  case $e in *"$n rank "*) r=${e##*"$n rank "} r=${r%%[!0-9]*}; [ ! -f "$f$r" ] || say dump "$f$r";; esac
  head -n 8 $d/stack | sed "s/^/$n kernel /"
  case "$c $(readlink $d/exe)" in *python*)
    if [ -z "$spy" ]; then say none "$why"
    elif [ $(($(date +%s)-begin)) -gt 3 ]; then say none 'no time was left'
    else say spy; $limit "$spy" dump --nonblocking --full-filenames --pid $p 2>&1 | head -c 65536; echo
    fi;;
  esac
done 2>/dev/null </dev/null
sleep 1
for p in $tree; do d=/proc/$p; used && say later "$p $u"; done 2>/dev/null
say end
)sh";

// In SigCgt, SIGUSR1 is the second bit of the third digit from the right.
constexpr char k_signal_script[] = R"sh(n=$1
shift
for p; do
  c=
  while read -r k v; do [ "$k" != SigCgt: ] || c=$v; done </proc/$p/status
  t=$(date +%s)
  case $c in *[2367abef]??) kill -USR1 $p && echo "$n signalled $p $t" && sleep 2;; esac
done 2>/dev/null
:
)sh";

}  // namespace

std::vector<std::string> probe_command(const std::string& mark, const std::string& tool) {
  std::vector<std::string> command = {"sh", "-c", k_probe, "trainctl-doctor", mark};
  if (!tool.empty()) command.push_back(tool);
  return command;
}

std::vector<std::string> signal_command(const std::string& mark, const std::vector<int>& pids) {
  std::vector<std::string> command = {"sh", "-c", k_signal_script, "trainctl-doctor", mark};
  for (const int pid : pids) command.push_back(std::to_string(pid));
  return command;
}

}  // namespace trainctl::job
