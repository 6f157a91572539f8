// An error: words for the user, and the exit status it leads to.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trainctl {

// Each value is the process's exit status; exit_statuses() says what it means to the user.
enum class Code {
  ok = 0,
  error = 1,
  usage = 2,
  job_failed = 3,
  auth = 4,
  not_found = 5,
  refused = 6,
  timeout = 7,
  unreachable = 8,
  not_started = 9,
  removed = 10,
  unchecked = 11,
  hung_up = 129,
  interrupted = 130,
  broken_pipe = 141,
  terminated = 143,
};

struct Error {
  Code code = Code::error;
  std::string message = {};  // one line: what and where
  std::string hint = {};     // the next command or flag to type; may be empty
};

// The system's words for an errno: "No space left on device".
std::string system_words(int error_number);

// Prefixes the message with "what: ", keeping code and hint.
Error in_context(std::string_view what, Error error);

struct ExitStatus {
  Code code;
  std::string_view word;  // in reports: "succeeded", "timed-out"
  std::string_view meaning;
};

// The table behind README, man page and `trainctl help exit-codes`.
std::span<const ExitStatus> exit_statuses();
std::string_view exit_word(Code code);

}  // namespace trainctl
