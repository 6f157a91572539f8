// Finds the program and executes it, or says why not in a container runtime's words.
#include "local/kubelet/program_start.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"

namespace trainctl::local {
namespace {

std::string path_of(const std::vector<std::string>& environment) {
  for (const std::string& variable : environment) {
    if (variable.starts_with("PATH=")) return variable.substr(5);
  }
  return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
}

bool is_program(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

struct Program {
  std::string path;
  std::string fault;  // message as runc words it
};
Program find_program(const std::string& name, const std::vector<std::string>& environment) {
  const auto fault = [&name](std::string_view why) {
    return Program{"", cat("exec: \"", name, "\": ", why)};
  };
  if (name.find('/') == std::string::npos) {
    for (const std::string& directory : split(path_of(environment), ':')) {
      const std::string path = cat(directory.empty() ? "." : directory, "/", name);
      if (is_program(path)) return {path, ""};
    }
    return fault("executable file not found in $PATH");
  }
  struct stat info {};
  if (::stat(name.c_str(), &info) != 0)
    return fault(cat("stat ", name, ": no such file or directory"));
  if (S_ISDIR(info.st_mode)) return fault("is a directory");
  if (!is_program(name)) return fault("permission denied");
  return {name, ""};
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace

void default_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::string execute(const ProgramStart& start) {
  const std::string& directory = start.working_directory;
  if (!directory.empty() && ::chdir(directory.c_str()) != 0) {
    return cat("chdir to cwd (\"", directory,
               "\") set in config.json failed: ", lower(std::strerror(errno)));
  }
  const Program program = find_program(start.argv[0], start.environment);
  if (!program.fault.empty()) return program.fault;
  // Set last: entering a user namespace may clear it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.guard) return "its guard is gone";
  default_signals();
  const auto argv = pointers(start.argv);
  const auto environment = pointers(start.environment);
  ::execve(program.path.c_str(), argv.data(), environment.data());
  return cat("exec ", program.path, ": ", lower(std::strerror(errno)));
}

}  // namespace trainctl::local
