// Which credential plugins the user lets kubeconfigs run: the policy in kubectl's kuberc.
#pragma once

#include "base/environment.h"
#include "base/files.h"
#include "base/result.h"
#include "kube/kubeconfig.h"

namespace trainctl::kube {

// Reads $KUBERC or $HOME/.kube/kuberc; neither there, KUBERC=off or KUBECTL_KUBERC=false: every
// plugin may run. Code::auth when the policy forbids this one, Code::usage when the policy cannot
// be read, so that a misspelt one never allows.
Status check_plugin_policy(Files& files, const Environment& env, const ExecPlugin& plugin);

}  // namespace trainctl::kube
