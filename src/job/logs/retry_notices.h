// Reports what currently keeps logs from being read: once, not at each attempt, nor for each
// replica.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "base/loop/loop.h"

namespace trainctl::job {

class RetryNotices {
 public:
  RetryNotices(Loop& loop, std::function<void(const std::string&)> notice);

  // The log of this pod cannot be read, and is retried after `wait`. The first pod with a problem
  // is reported at once; further pods with the same problem are counted and reported a moment
  // later. The hint is reported when the second attempt fails with the same problem.
  void add(const std::string& pod, const Error& why, Duration wait);
  // The log can be read again, or need not be: the same problem counts as a new one from here on.
  void remove(const std::string& pod);
  // Reports a hint, each one once.
  void report_hint(const std::string& hint);

 private:
  void report_others(const std::string& message);

  struct Trouble {
    std::set<std::string> pods;        // pods that have it now
    std::set<std::string> unreported;  // pods that have or had it, not reported yet
    HandlePtr timer;                   // until those are reported
  };

  Loop& loop_;
  std::function<void(const std::string&)> notice_;
  std::map<std::string, Trouble> troubles_;  // by error message
  std::set<std::string> hints_;
};

}  // namespace trainctl::job
