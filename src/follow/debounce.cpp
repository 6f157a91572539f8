// A new condition begins to wait anew.
#include "follow/debounce.h"

#include <utility>

namespace trainctl::job {

void Debounce::see(const std::string& whom, Duration wait, std::function<void()> act) {
  if (whom == whom_) return;
  whom_ = whom;
  timer_.reset();
  if (!whom.empty()) timer_ = loop_.after(wait, std::move(act));
}

}  // namespace trainctl::job
