// One row for each option of each command: its type, its help, and what it conflicts with.
// Parsing, help, defaults, configuration, hints and completion use these rows. A command binds
// variables to them.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/words.h"
#include "manifest/flags/flags.h"
#include "manifest/kind/kind.h"

namespace trainctl::options {

// The prefixes of the roles of a kind, or of every kind when it is null: "master", "worker".
std::vector<std::string> role_prefixes(const job::Kind* kind);

// A job flag, looked up by its long name; `flag` is null when there is none.
struct JobFlagName {
  const job::Flag* flag = nullptr;
  std::string role;  // prefix: "worker" of "worker-memory"; "" = every role
};
JobFlagName find_job_flag(const std::string& name, const job::Kind* kind);

// The commands that have a job flag: "submit-tf, submit-mpi" for "--ps"; "" when all have it, or
// none.
std::string kinds_with_flag(const std::string& flag);

// The type of a value. `path` is a path on this machine.
enum class Type { toggle, text, choice, path, count, duration, time, kind, phase, job_value };

// How an option relates to following the job until its verdict.
enum class Following {
  unrelated,
  starts,                  // it makes the command follow its job
  needs,                   // it has no meaning in a command that does not follow its job
  needs_unless_replacing,  // the same, but --if-exists=replace gives it one
  chooses_lines,           // the same, but `logs` prints lines without following as well
};

// An option's role in choosing the cluster.
enum class ConnectionRole {
  none,
  cluster,   // names a cluster, or its user, and so conflicts with --local
  secret,    // the same, but is neither shown nor read from a file
  embedded,  // chooses the embedded cluster, and so conflicts with flags that name another
  within,    // chooses a place within a cluster
};

// The words of a choice, for values of any one type.
class Choices {
 public:
  constexpr Choices() = default;
  template <typename Value, std::size_t N>
  constexpr Choices(const Word<Value> (&words)[N])
      : table_(words), size_(N), text_(&text_at<Value>) {}

  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (std::size_t at = 0; at < size_; ++at) all.emplace_back(text_(table_, at));
    return all;
  }
  // Throws logic_error when the words stand for values of another type.
  template <typename Value>
  const Word<Value>* table() const {
    if (text_ != &text_at<Value>) throw std::logic_error("these words stand for another type");
    return static_cast<const Word<Value>*>(table_);
  }

 private:
  using Text = std::string_view (*)(const void* table, std::size_t at);
  template <typename Value>
  static std::string_view text_at(const void* table, std::size_t at) {
    return static_cast<const Word<Value>*>(table)[at].word;
  }

  const void* table_ = nullptr;
  std::size_t size_ = 0;
  Text text_ = nullptr;
};

// Values of `commands`: every command; those that create a job; those that make one from flags.
inline constexpr std::string_view k_every_command = "*";
inline constexpr std::string_view k_submits = "submit-KIND submit rerun";
inline constexpr std::string_view k_renders = "submit-KIND submit rerun dev";

// The commands that make a job of one kind.
inline constexpr std::string_view k_submit_prefix = "submit-";

// Completes the names of the presets in configuration files.
inline constexpr std::string_view k_preset_names = "presets";
// The same of the metrics that the history has.
inline constexpr std::string_view k_metric_names = "metrics";

struct OptionRow {
  std::string_view name;      // long name, without dashes
  char letter = 0;            // short form
  std::string_view commands;  // commands that have it, blank-separated; "*" = all
  Type type;
  Choices words = {};           // of a choice
  std::string_view value = "";  // "FILE"; "" = a toggle, or the words of a choice
  std::string_view bare = "";   // the value that the option alone means; "" = it needs one
  std::string_view group = "";  // heading in the help; "" = not shown
  int common = 0;               // job::Flag::common
  Following following = Following::unrelated;
  ConnectionRole connection = ConnectionRole::none;
  // Blank-separated flags with the same meaning or in conflict with it.
  std::string_view gives_way_to = "";
  std::string_view off = "false";  // the value that switches it off
  // Completions: words, a resource of the namespace, "/": directories, k_preset_names or
  // k_metric_names.
  std::string_view offers = "";
  std::string_view newer = "";  // the flag that has replaced this one, which will go
  std::string_view help = "";
};

// The table of options (option_rows.h) except job flags, which have their own
// (manifest/flags/flags.cpp).
std::span<const OptionRow> option_rows();

// The row of an option of a command that is not a job flag; null when there is none.
const OptionRow* find_option_row(std::string_view command, std::string_view option);
// True for commands that make a job from flags, and for "", which stands for all of them.
bool has_job_flags(std::string_view command);

// The row of an option, including job flags. "" as command means the top level of a configuration,
// which holds options of all commands and of submitting. nullopt when there is no such option.
std::optional<OptionRow> find_row(std::string_view command, std::string_view option);

// True for options that every command has.
bool is_global(const OptionRow& row);
// True when `word` is in the blank-separated `list`.
bool lists(std::string_view list, std::string_view word);

}  // namespace trainctl::options
