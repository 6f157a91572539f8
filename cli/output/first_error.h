// The outcome of a command about several jobs.
#pragma once

#include <utility>

#include "base/console/console.h"
#include "base/loop/ending_signals.h"
#include "base/result.h"

namespace trainctl::cli {

// The first error of the greatest weight is the outcome; the others are warnings when they happen.
// A signal ends the whole command, so it weighs most. A job that is not there weighs least: a wrong
// name must not hide that another job failed. A stdout without a reader ends all jobs alike and is
// reported once.
class FirstError {
 public:
  explicit FirstError(Console& console) : console_(console) {}

  void note(Status status) {
    if (weight(status) > weight(outcome_)) std::swap(outcome_, status);
    if (!status && status.error().code != Code::broken_pipe) console_.warn(status.error().message);
  }
  bool is_fine() const { return static_cast<bool>(outcome_); }
  Status outcome() && { return std::move(outcome_); }

 private:
  static int weight(const Status& status) {
    if (status) return 0;
    const Code code = status.error().code;
    if (ending_signal(code) != nullptr) return 3;
    return code == Code::not_found ? 1 : 2;
  }

  Console& console_;
  Status outcome_;
};

}  // namespace trainctl::cli
