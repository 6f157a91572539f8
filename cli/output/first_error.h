// The outcome of a command about several jobs.
#pragma once

#include <utility>

#include "base/console/console.h"
#include "base/loop/ending_signals.h"
#include "base/result.h"

namespace trainctl::cli {

// The first error is the outcome; the others are warnings when they happen. A signal ends the whole
// command, so it is the outcome whatever has failed before. A stdout without a reader ends all of
// them alike and is reported once.
class FirstError {
 public:
  explicit FirstError(Console& console) : console_(console) {}

  void note(Status status) {
    if (status) return;
    if (ends_all(status) && !ends_all(outcome_)) std::swap(outcome_, status);
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
  static bool ends_all(const Status& status) {
    return !status && ending_signal(status.error().code) != nullptr;
  }

  Console& console_;
  Status outcome_;
};

}  // namespace trainctl::cli
