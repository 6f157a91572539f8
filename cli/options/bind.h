// Defines options of the command line by their rows, each bound to the variable it sets.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/pattern.h"
#include "base/text/time.h"
#include "cli/context.h"
#include "metrics/metric_pattern.h"
#include "options/table/choices.h"
#include "options/table/option_rows.h"
#include "work/code/pack.h"
#include "work/session/target.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace trainctl::cli {

inline constexpr std::string_view k_group_general = "General";
// Help groups that are explained by name and by --help-all.
inline constexpr std::string_view k_group_connection = "Connection";
inline constexpr std::string_view k_group_one_role = "Roles";

inline constexpr std::size_t k_any_number = static_cast<std::size_t>(-1);

// Thrown while a line is parsed: a word that the command does not take.
struct UnexpectedWord {
  std::string word;
};

// Values are checked when parsed; an error names the flag. The last value of a repeated option
// wins, as in kubectl, unless it takes several. An option without a row of the variable's type is a
// logic_error.
class OptionBinder {
 public:
  // `command`: the name of the command, as in the table of commands. Both must outlive the binder.
  OptionBinder(CLI::App& app, std::string_view command) : app_(app), command_(command) {}

  CLI::Option* operator()(options::OptionName name, bool& value) const;
  CLI::Option* operator()(options::OptionName name, std::string& value) const;
  CLI::Option* operator()(options::OptionName name, std::vector<std::string>& values) const;
  // Regular expressions; an invalid one is refused with its reason.
  CLI::Option* operator()(options::OptionName name, std::vector<Pattern>& values) const;
  // NAME=REGEX.
  CLI::Option* operator()(options::OptionName name, job::MetricPatterns& values) const;
  CLI::Option* operator()(options::OptionName name, std::optional<Duration>& value) const;
  CLI::Option* operator()(options::OptionName name, std::optional<long>& value) const;
  // A choice; the words of the row stand for values of this type.
  template <typename Value>
  CLI::Option* operator()(options::OptionName name, Value& value) const {
    const options::OptionRow& row = row_of(name);
    const Word<Value>* words = row.words.table<Value>();
    return choice(row, [&value, words](std::size_t at) { value = words[at].value; });
  }

  // Several choices, comma-separated or repeated.
  template <typename Value>
  CLI::Option* operator()(options::OptionName name, std::vector<Value>& values) const {
    const options::OptionRow& row = row_of(name);
    const Word<Value>* words = row.words.table<Value>();
    return choices(row, [&values, words](std::size_t at) { values.push_back(words[at].value); });
  }

  // Takes the command's arguments; `group`: the heading in the help.
  CLI::Option* positional(std::string_view group, const std::string& name,
                          std::vector<std::string>& values, std::size_t at_least,
                          std::size_t at_most, std::string_view help) const;

 private:
  using Read = std::function<void(const std::string& value)>;

  const options::OptionRow& row_of(options::OptionName name) const;
  // Any number of values that `parse` reads, or refuses with its reason.
  template <typename Value, typename Parse>
  CLI::Option* parsed(options::OptionName name, std::vector<Value>& values, Parse parse) const;
  CLI::Option* choice(const options::OptionRow& row, std::function<void(std::size_t)> choose) const;
  CLI::Option* choices(const options::OptionRow& row,
                       std::function<void(std::size_t)> choose) const;
  CLI::Option* add(const options::OptionRow& row, std::string_view value_name, Read read) const;

  CLI::App& app_;
  std::string_view command_;
};

// Refuses every effective value of the option for which `fault` returns a message, whether it is
// typed or written into a configuration.
void check_values(CLI::Option* option, std::function<std::string(const std::string&)> fault);
// Refuses numbers below 1.
void refuse_below_one(CLI::Option* option);

// Returns the manifest of a command that takes one, as a word or with -f; Code::usage otherwise.
Result<std::string> only_manifest(std::string_view command, std::vector<std::string> words,
                                  const std::vector<std::string>& files);
// Adds --kind, whose value must be an existing kind.
void add_kind_flag(const OptionBinder& bind, std::string& value);

// The form of printed lines, and the choice among them.
void add_line_flags(const OptionBinder& bind, job::LogChoice& logs);

void add_wait_flags(const OptionBinder& bind, options::WaitFlags& flags);
// --stall and --on-stall, of commands that read logs.
void add_stall_flags(const OptionBinder& bind, options::WaitFlags& flags);

// The flags and the argument that choose one replica: exec, attach, port-forward, cp, fetch.
struct TargetFlags {
  std::vector<std::string> jobs;  // exactly one
  std::string kind, rank, container;

  // Code::usage for an unknown kind or a malformed JOB[/REPLICA].
  Result<work::TargetQuery> query() const;
};
void add_target_flags(const OptionBinder& bind, TargetFlags& flags);
// The one positional argument of most of them.
void add_target_job(const OptionBinder& bind, TargetFlags& flags);

// The flags that send code along with a job.
void add_code_flags(const OptionBinder& bind, work::CodeSource& code);

}  // namespace trainctl::cli
