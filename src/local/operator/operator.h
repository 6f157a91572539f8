// The training operator of the embedded cluster: from jobs to pods and services, and from pods to
// the jobs' status, as training-operator 1.9 does it.
#pragma once

#include <memory>

#include "base/loop.h"
#include "local/store/store.h"

namespace trainctl::local {

// Works on the store for as long as it lives; every change of a job or of its pods is a pass over
// that job. Also after a restart: the store is all it knows.
class Operator {
 public:
  Operator(Loop& loop, Store& store);
  ~Operator();
  // Keeps nothing in memory of jobs that are over.
  void rest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainctl::local
