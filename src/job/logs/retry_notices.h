// What keeps logs from being read for now, told once: not at each attempt, nor for each replica.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "base/loop.h"

namespace trainctl::job {

class RetryNotices {
 public:
  RetryNotices(Loop& loop, std::function<void(const std::string&)> notice);

  // The log of this pod cannot be read, and is tried again after `wait`. The first pod with a
  // trouble is told at once, others of the same a moment later, by number; the hint when the second
  // attempt has met the same trouble.
  void add(const std::string& pod, const Error& why, Duration wait);
  // It can be read, or need not be any more: from here on the same trouble is a new one.
  void remove(const std::string& pod);
  // Each hint is told once.
  void tell_hint(const std::string& hint);

 private:
  void tell_others(const std::string& message);

  struct Trouble {
    std::set<std::string> pods;    // that have it now
    std::set<std::string> untold;  // that have or had it
    HandlePtr timer;               // until these are told
  };

  Loop& loop_;
  std::function<void(const std::string&)> notice_;
  std::map<std::string, Trouble> troubles_;  // by what is wrong
  std::set<std::string> hints_;
};

}  // namespace trainctl::job
