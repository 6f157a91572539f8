// Decides which files `--code` leaves out: a subset of gitignore's syntax. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainctl::work {

// Lines of patterns; the last matching pattern decides. Blank lines and those that begin with `#`
// are skipped. A leading `!` includes a path again; a trailing `/` matches directories only; any
// other `/` anchors the pattern at the root. `*`, `?` and `[a-z]` match within a name, `**` any
// number of directories, and `\` takes the next character as it is.
class IgnoreRules {
 public:
  void add(std::string_view text);
  // True for a path that a rule leaves out itself, or together with a directory above it.
  bool leaves_out(std::string_view path, bool is_directory) const;
  // True for a path that a rule leaves out itself.
  bool leaves_out_itself(std::string_view path, bool is_directory) const;

 private:
  struct Rule {
    std::vector<std::string> steps;  // of the path; "**" = any number
    bool takes_in = false;
    bool directories_only = false;
  };
  bool match(const std::vector<std::string>& steps, bool is_directory) const;

  std::vector<Rule> rules_;
};

// Patterns of files that are hardly ever wanted in a pod: caches, virtual environments, installed
// packages.
extern const std::string_view k_usually_ignored;

}  // namespace trainctl::work
