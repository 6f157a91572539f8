// A Handle on something that callbacks keep alive: destroying it abandons the work.
#pragma once

#include <memory>
#include <utility>

#include "base/loop/loop.h"

namespace trainctl::kube {

template <typename Work>
class AbandonHandle : public Handle {
 public:
  explicit AbandonHandle(std::shared_ptr<Work> work) : work_(std::move(work)) {}
  ~AbandonHandle() override { work_->abandon(); }

 private:
  std::shared_ptr<Work> work_;
};

}  // namespace trainctl::kube
