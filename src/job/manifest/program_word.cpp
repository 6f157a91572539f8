// Looks for blanks, shell operators and the suffix .py. Pure.
#include "job/manifest/program_word.h"

#include "base/text/text.h"

namespace trainctl::job {

std::optional<Error> program_word_fault(const std::string& word) {
  const std::string first = word.substr(0, word.find_first_of(" \t\n"));
  if (first.find('/') != std::string::npos) return std::nullopt;  // a path may hold anything
  const bool needs_shell = word.find_first_of("&|;<>\n") != std::string::npos;
  if (needs_shell || first.size() < word.size()) {
    const std::string shell = cat("-- sh -c ", shell_quoted(word));
    return Error{
        Code::usage,
        cat("cannot run ", shell_quoted(word), ": it is a command line in one word, not a program"),
        needs_shell ? cat("use a shell: ", shell)
                    : cat("write separate words: -- ", word, "; or use a shell: ", shell)};
  }
  if (!word.ends_with(".py")) return std::nullopt;
  return Error{Code::usage,
               cat("cannot run ", word, ": a script without a directory is searched for in PATH"),
               cat("name its interpreter: -- python3 ", shell_quoted(word))};
}

}  // namespace trainctl::job
