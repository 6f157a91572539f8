// Decides which credential plugins a kubeconfig may run: the user's policy in kubectl's kuberc.
#pragma once

#include "base/environment.h"
#include "base/file/files.h"
#include "base/result.h"
#include "kube/config/kubeconfig.h"

namespace trainctl::kube {

// Reads $KUBERC or $HOME/.kube/kuberc. When neither exists, or with KUBERC=off or
// KUBECTL_KUBERC=false, every plugin may run. Code::auth when the policy forbids this one,
// Code::usage when the policy cannot be read, so that a misspelt policy never allows one.
Status check_plugin_policy(Files& files, const Environment& env, const ExecPlugin& plugin);

}  // namespace trainctl::kube
