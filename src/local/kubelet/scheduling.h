// Assigns pods to this node as its devices allow, makes the claims that they name, and binds claims
// to directories.
#pragma once

#include "local/kubelet/kubelet_context.h"

namespace trainctl::local {

class Scheduling {
 public:
  explicit Scheduling(KubeletContext& context) : context_(context) {}
  // Examines every unscheduled pod on the next turn.
  void look_again();

 private:
  void pass();
  void bind(const Json& pod, const std::vector<int>& devices);
  void refuse(const Json& pod, const std::string& message);

  KubeletContext& context_;
  HandlePtr turn_;
};

// Binds a claim to its directory, unless it is bound already; call it as soon as the claim exists.
void bind_claim(const KubeletContext& context, const Json& claim);
// Removes the claim's directory with its content.
void remove_claim(const KubeletContext& context, const Json& claim);

}  // namespace trainctl::local
