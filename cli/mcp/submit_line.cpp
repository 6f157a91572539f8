#include "cli/mcp/submit_line.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/text.h"
#include "manifest/flags/flags.h"
#include "manifest/kind/kind.h"
#include "options/table/rows.h"

namespace trainctl::cli::mcp {
namespace {

constexpr std::size_t k_most_words = 500;

// The words that would give a job a file of this machine, or rights on the node where it runs.
constexpr std::array<std::string_view, 10> k_withheld_flags = {
    "env-file",     "volume",
    "nfs-server",   "mount-propagation",
    "run-as",       "add-capability",
    "host-network", "host-ipc",
    "host-pid",     "allow-privilege-escalation",
};

bool is_submit_command(std::string_view word) {
  return std::ranges::any_of(job::operator_kinds(), [word](const job::Kind& kind) {
    return word == cat(options::k_submit_prefix, kind.alias);
  });
}

Error refused_word(std::string_view word, std::string_view why) {
  return Error{Code::usage, cat(printable_line(word), " ", why), ""};
}

Status check_flag_value(const job::Flag& flag, std::string_view name, const std::string& value) {
  const bool is_variable = flag.name == "env" || flag.name == "environment";
  if (is_variable && value.find('=') == std::string::npos)
    return refused_word(cat("--", name),
                        "needs NAME=VALUE: the caller's environment is not readable");
  return {};
}

// Reads the flag at `at`, which ends behind the flag and its value.
Result<std::string> read_flag(const std::vector<std::string>& words, std::size_t& at) {
  const std::string& word = words[at++];
  const Halves halves = split_once(word, '=');
  const std::string name = halves.first.substr(std::min<std::size_t>(2, halves.first.size()));
  const job::Flag* flag =
      word.starts_with("--") ? options::find_job_flag(name, nullptr).flag : nullptr;
  if (flag == nullptr || std::ranges::find(k_withheld_flags, flag->name) != k_withheld_flags.end())
    return refused_word(halves.first, "is not a flag that agents may use; job flags are long ones");
  if (flag->value_name.empty()) return word;
  std::string value = halves.second;
  if (!halves.found) {
    if (at == words.size() || words[at].starts_with('-'))
      return refused_word(word, "needs a value behind =");
    value = words[at++];
  }
  TRY(check_flag_value(*flag, name, value));
  return cat("--", name, "=", value);
}

Result<std::vector<std::string>> words_of(const Json& value) {
  if (!value.is_array() || value.empty() || value.size() > k_most_words)
    return Error{Code::usage, "must be a list of words", ""};
  std::vector<std::string> words;
  for (const Json& word : value) {
    if (!word.is_string()) return Error{Code::usage, "must be a list of words", ""};
    words.push_back(word.get<std::string>());
    if (words.back().find('\0') != std::string::npos)
      return Error{Code::usage, "must hold no NUL", ""};
  }
  return words;
}

}  // namespace

Result<std::vector<std::string>> submit_line(const Json& value) {
  TRY_ASSIGN(const auto words, words_of(value));
  if (!is_submit_command(words.front()))
    return refused_word(words.front(),
                        "is not a command that submits a job, such as submit-pytorch");
  std::vector<std::string> line = {words.front()};
  std::size_t at = 1;
  bool named = false;
  while (at < words.size() && words[at] != "--") {
    TRY_ASSIGN(std::string flag, read_flag(words, at));
    named = named || flag.starts_with("--name=");
    line.push_back(std::move(flag));
  }
  // A generated name would differ from the one that the user has agreed to.
  if (!named) return Error{Code::usage, "needs --name", ""};
  line.insert(line.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return line;
}

}  // namespace trainctl::cli::mcp
