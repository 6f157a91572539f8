// The last steps of a process that becomes a program in a container.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace trainctl::local {

// Gives every signal its default action, and blocks none.
void default_signals();

struct ProgramStart {
  const std::vector<std::string>& argv;
  const std::vector<std::string>& environment;  // "NAME=value"
  const std::string& working_directory;
  pid_t guard = 0;  // this process's parent, which the program must not outlive
};
// Returns only when the program could not be executed, with the reason.
std::string execute(const ProgramStart& start);

}  // namespace trainctl::local
