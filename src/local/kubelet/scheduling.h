// Puts pods on this node as its devices allow, and binds claims to directories.
#pragma once

#include "local/kubelet/kubelet_context.h"

namespace trainctl::local {

class Scheduling {
 public:
  explicit Scheduling(KubeletContext& context) : context_(context) {}
  // Looks at every pod that is not scheduled, on the next turn.
  void look_again();

 private:
  void pass();
  void bind(const Json& pod, const std::vector<int>& devices);
  void refuse(const Json& pod, const std::string& message);

  KubeletContext& context_;
  HandlePtr turn_;
};

// A claim is bound as soon as it is there.
void bind_claim(const KubeletContext& context, const Json& claim);
// Its directory, and what is in it, goes with the claim.
void remove_claim(const KubeletContext& context, const Json& claim);

}  // namespace trainctl::local
