// Decides which containers run again after the embedded cluster was shut down, and keeps a note on
// disk for the next daemon.
#pragma once

#include <string>

#include "local/kubelet/kubelet_context.h"

namespace trainctl::local {

// True for a pod that continues after a shutdown, as after a reboot of its node: its containers are
// restarted, with their earlier logs kept. False for one whose containers may run only once.
bool returns_after_shutdown(const KubeletContext& context, const Json& pod);

// Notes that the run with this directory now ends because of a shutdown, so that its exit code is
// no verdict on its program.
void note_interruption(const std::string& attempt_directory);
bool was_interrupted(const std::string& attempt_directory);

}  // namespace trainctl::local
