// The outcome of a command about several jobs.
#pragma once

#include <utility>

#include "base/console/console.h"
#include "base/result.h"

namespace trainctl::cli {

// The first error is the outcome; the others are warnings when they happen. A stdout without a
// reader ends all of them alike and is reported once.
class FirstError {
 public:
  explicit FirstError(Console& console) : console_(console) {}

  void note(Status status) {
    if (status) return;
    if (outcome_) {
      outcome_ = std::move(status);
    } else if (status.error().code != Code::broken_pipe) {
      console_.warn(status.error().message);
    }
  }
  bool is_fine() const { return static_cast<bool>(outcome_); }
  Status outcome() && { return std::move(outcome_); }

 private:
  Console& console_;
  Status outcome_;
};

}  // namespace trainctl::cli
