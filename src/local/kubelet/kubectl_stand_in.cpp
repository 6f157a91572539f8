// Writes a script that leaves the work to trainctl exec.
#include "local/kubelet/kubectl_stand_in.h"

#include <sys/stat.h>

#include "base/file/small_file.h"
#include "base/text/text.h"
#include "local/kubelet/guard_watch.h"

namespace trainctl::local {
namespace {

// The daemon's directories are found by its environment, not by the container's.
constexpr std::string_view k_directories[] = {"HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"};

// Called as `kubectl exec POD [--container NAME] -- COMMAND`.
std::string script(const KubeletContext& context, const std::string& ns) {
  std::string text = "#!/bin/sh\n# Stands in for kubectl: starts a command in another replica.\n";
  for (const std::string_view name : k_directories) {
    const auto value = context.settings.daemon_environment.get(name);
    text +=
        value ? cat("export ", name, "=", shell_quoted(*value), "\n") : cat("unset ", name, "\n");
  }
  text += "[ \"$1\" = exec ] || { echo \"kubectl $1: only exec works here\" >&2; exit 2; }\n";
  text += cat("shift\nexec ", shell_quoted(context.settings.program), " exec --local --namespace ",
              shell_quoted(ns), " --tree-config off \"$@\"\n");
  return text;
}

}  // namespace

bool deliver_kubectl(const KubeletContext& context, const Json& pod, const Json& container) {
  const Json& mounts = array_at(container, "/volumeMounts");
  if (mounts.empty()) return true;
  const std::string directory =
      cat(context.pod_directory(uid_of(pod)), "/.volumes/", text_at(mounts.front(), "/name"));
  const std::string file = cat(directory, "/kubectl");
  return make_directories(directory) && write_file(file, script(context, namespace_of(pod))) &&
         ::chmod(file.c_str(), 0755) == 0;
}

}  // namespace trainctl::local
