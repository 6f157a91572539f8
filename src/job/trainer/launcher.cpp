// Trainer makes keys and a list of hosts for mpirun (pkg/runtime/framework/plugins/mpi), and says
// nothing else of the nodes.
#include "job/trainer/launcher.h"

#include "base/text/text.h"
#include "job/trainer/losses.h"

namespace trainctl::job {

Ssh take_ssh(const Kind& kind, const Nodes& nodes, const PatchRules& rules, Json& job) {
  Ssh ssh{split_pod(kind, nodes.alike.replica, rules)};
  const Json slots = take(job, "/spec/slotsPerWorker");
  if (slots.is_number_integer()) ssh.processes = slots.get<std::int64_t>();
  const Json path = take(job, "/spec/sshAuthMountPath");
  if (path.is_string()) ssh.key_path = path.get<std::string>();
  // The launcher is begun when the nodes are ready.
  take(job, "/spec/launcherCreationPolicy");
  if (text_at(job, "/spec/mpiImplementation") == "OpenMPI") take(job, "/spec/mpiImplementation");
  if (!true_at(job, "/spec/runLauncherAsWorker")) take(job, "/spec/runLauncherAsWorker");
  return ssh;
}

void lose_workers(const Nodes& nodes, const PodSplit& workers, std::vector<Loss>& losses) {
  const std::string place = nodes.alike.pointer + "/template";
  lose_pod(place, workers.needed_rest(), losses);
  for (const char* part : {"command", "args", "resourcesPerNode"}) {
    if (workers.trainer.contains(part) && !workers.trainer[part].empty()) {
      losses.push_back({cat(place, "/spec/containers/0/", part),
                        "only a runtime can set it for MPI workers", "", true});
    }
  }
}

void lose_root(const Nodes& nodes, const Ssh& ssh, std::vector<Loss>& losses) {
  if (!ssh.key_path.starts_with("/root")) return;
  losses.push_back(
      {nodes.alike.pointer,
       "Trainer's launcher reaches its nodes by ssh, with a key that sshd does not accept for root",
       "use an image whose sshd runs as another user, and set sshAuthMountPath of the "
       "runtime to the directory of that user's key"});
}

}  // namespace trainctl::job
