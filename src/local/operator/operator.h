// The training operator of the embedded cluster: creates pods and services for jobs, and derives
// the jobs' status from their pods, like training-operator 1.9.
#pragma once

#include <memory>

#include "base/loop/loop.h"
#include "local/store/store.h"

namespace trainctl::local {

// Works on the store for as long as it lives: every change of a job or of its pods starts a pass
// over that job. The store holds its whole state, so it continues after a restart.
class Operator {
 public:
  Operator(Loop& loop, Store& store);
  ~Operator();
  // Forgets finished jobs, to free memory.
  void rest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainctl::local
