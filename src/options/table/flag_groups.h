// The values of flags that several commands share.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/text/time.h"
#include "job/follow/log_choice.h"
#include "job/kind/kind.h"
#include "options/table/choices.h"

namespace trainctl::options {

// The kind; null for "", Code::usage with the existing kinds for unknown ones.
Result<const job::Kind*> kind_flag(const std::string& text);

// The choice of logs to print, and their form.
struct LogFlags {
  bool all = false;
  bool timestamps = false;
  job::Prefix prefix = job::Prefix::automatic;
  std::string role, rank, container, save;
};
job::LogChoice log_choice(const LogFlags& flags);

// What trainctl history may keep of the run.
struct HistoryFlags {
  bool none = false;
  bool values = false;  // all but credentials
};

// The time to wait, and the reports to write afterwards.
inline constexpr Duration k_start_timeout = std::chrono::minutes(5);
struct WaitFlags {
  std::optional<Duration> timeout;
  std::optional<Duration> start_timeout = k_start_timeout;
  std::string result_file, junit;
  std::string notify;  // a program with its arguments, or a URL
  OnGiveUp on_give_up = OnGiveUp::leave;
  OnInterrupt on_interrupt = OnInterrupt::detach;
  bool fail_fast = false;
  bool require_all = false;
  bool events = false;
  HistoryFlags history;
};

}  // namespace trainctl::options
