// Chooses remedies by the reasons and messages of kubelet, scheduler and API server.
#include "status/hints.h"

#include "base/text/text.h"
#include "status/init_containers.h"
#include "status/state.h"

namespace trainctl::job {

std::string hint_for(std::string_view reason, std::string_view message, std::string_view pod) {
  const auto says = [message](std::string_view part) {
    return message.find(part) != std::string_view::npos;
  };
  if (reason == "ImagePullBackOff" || reason == "ErrImagePull" || reason == "InvalidImageName") {
    return "check the image's name and the permission to pull it: --image, --image-pull-secret";
  }
  if (reason == "ErrImageNeverPull") {
    return "the node does not have the image: --image-pull-policy IfNotPresent lets it pull";
  }
  if (reason == "CreateContainerConfigError" && says("subPath")) {
    return "a file or a link is where the volume should have a directory: check the SUBPATH of "
           "the flag that mounts it";
  }
  if (reason == "CreateContainerConfigError") {
    return "create the missing secret or config map in the job's namespace, or correct its name";
  }
  if (says("Multi-Attach") || says("ReadWriteOncePod")) {
    return "another pod uses the volume: wait for it, or use a claim with access mode "
           "ReadWriteMany";
  }
  if (says("exceeded quota")) {
    return "the namespace's quota is used up: see kubectl describe quota, ask for less or make "
           "room";
  }
  if (reason == "FailedMount" || reason == "FailedAttachVolume") {
    return "check the volume's claim, secret, config map or NFS host: --pvc, --secret-volume, "
           "--configmap-volume, --volume";
  }
  if (reason == "InitFailed") {
    const std::string must = "the init container must succeed before the program starts";
    const std::string_view container = failed_init_container(message);
    if (pod.empty() || container.empty()) return must;
    return cat(must, "; its log: trainctl logs ", pod, " -c ", container);
  }
  const bool of_program = reason == "RunContainerError" || reason == "StartError";
  if (of_program && says("working directory ")) {
    return "the program's working directory cannot be entered: check --working-dir";
  }
  if (of_program) {
    return "the container's command could not be started: check the arguments after --";
  }
  if (reason != "Unschedulable") return "";
  if (says("persistentvolumeclaim")) return "create the claim, or correct its name: --pvc";
  if (says("unbound immediate PersistentVolumeClaims")) {
    return "the claim has no volume yet: check its storage class";
  }
  const bool one_node = says("0/1 nodes are available");
  if (says("Insufficient") && one_node && says("Preemption is not helpful")) {
    return std::string(k_too_large_hint);
  }
  if (says("Insufficient")) {
    return "no node has room: lower --gpu, --cpu or --memory, or wait";
  }
  if (says("volume node affinity conflict")) {
    return "the claim's volume is on another node or in another zone: choose another claim, or "
           "nodes that can mount this one";
  }
  return "no node fits: check --toleration and the flags that choose nodes, such as "
         "--node-selector";
}

std::string exit_hint(const LastExit& exit) {
  constexpr int k_killed = 137;
  if (exit.out_of_memory) return "give it more memory: --memory-limit";
  // When out of memory, the kernel may kill a process of the container other than the first one.
  if (exit.code == k_killed) {
    return "exit 137 may mean out of memory, of the node or at --memory-limit: watch memory use";
  }
  return "";
}

std::string sidecar_hint(std::string_view container) {
  if (container == "istio-proxy") {
    return "keep Istio out: --annotation sidecar.istio.io/inject=false";
  }
  return "end it with the training, or make it an init container with restartPolicy Always";
}

}  // namespace trainctl::job
