// Runs commands in containers of a job and collects what they print.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "work/access.h"
#include "work/session/target.h"

namespace trainctl::work {

struct Question {
  Target target;
  std::vector<std::string> command;
  Duration longest;
  std::size_t most = std::size_t{1} << 20;  // of the answer, which is cut behind it

  std::string answer = {};          // what the command printed on stdout
  std::optional<Error> error = {};  // why the answer is missing or not whole
};

// Asks all, up to eight at once, and hands each to `take` with its number when it is answered;
// top-level code. An error is a signal to this program, or a cluster that cannot be reached.
Status collect(Access& access, std::span<Question> questions,
               const std::function<void(std::size_t, Question&)>& take);

}  // namespace trainctl::work
