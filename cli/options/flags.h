// Functions to define flags, and the groups of flags that several commands share.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/time.h"
#include "base/text/words.h"
#include "cli/context.h"
#include "job/follow/log_choice.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace trainctl::cli {

inline constexpr std::string_view k_group_general = "General";
// Help groups that only --help-all shows.
inline constexpr std::string_view k_group_connection = "Connection";
inline constexpr std::string_view k_group_one_role = "For one role";

inline constexpr std::size_t k_any_number = static_cast<std::size_t>(-1);

// `names` are in CLI11's form: "-o,--output". Values are checked when parsed; an error names the
// flag. Of a repeated single-value flag the last one wins, as in kubectl.
struct FlagAdder {
  CLI::App& app;
  std::string group;

  CLI::Option* text(const std::string& names, std::string& value, std::string_view value_name,
                    std::string_view help) const;
  CLI::Option* list(const std::string& names, std::vector<std::string>& values,
                    std::string_view value_name, std::string_view help) const;
  CLI::Option* toggle(const std::string& names, bool& value, std::string_view help) const;
  // `words` must outlive the app.
  template <typename Value, std::size_t N>
  CLI::Option* choice(const std::string& names, Value& value, const Word<Value> (&words)[N],
                      std::string_view help) const {
    return one_of(
        names, texts_of(words), [&value, &words](std::size_t at) { value = words[at].value; }, "",
        help);
  }
  // `--flag` alone means the word `bare`; a value must follow '='.
  template <typename Value, std::size_t N>
  CLI::Option* optional_choice(const std::string& names, Value& value, std::string_view bare,
                               const Word<Value> (&words)[N], std::string_view help) const {
    return one_of(
        names, texts_of(words), [&value, &words](std::size_t at) { value = words[at].value; }, bare,
        help);
  }
  // Calls `choose` with the position of the word that was given. `bare`: the word that the flag
  // alone means; "" = it needs one.
  CLI::Option* one_of(const std::string& names, std::vector<std::string> words,
                      std::function<void(std::size_t)> choose, std::string_view bare,
                      std::string_view help) const;
  // `--flag` alone means `bare`, too.
  CLI::Option* optional_text(const std::string& names, std::string& value, std::string bare,
                             std::string_view value_name, std::string_view help) const;
  CLI::Option* duration(const std::string& names, std::optional<Duration>& value,
                        std::string_view help) const;
  CLI::Option* count(const std::string& names, std::optional<long>& value,
                     std::string_view value_name, std::string_view help,
                     long least = std::numeric_limits<long>::min()) const;
  CLI::Option* positional(const std::string& name, std::vector<std::string>& values, int at_least,
                          std::size_t at_most, std::string_view help) const;
};

// Refuses every effective value of the option for which `fault` returns a message, whether it is
// typed or written into a configuration.
void check_values(CLI::Option* option, std::function<std::string(const std::string&)> fault);

// Adds --kind, whose value must be an existing kind.
void add_kind_flag(const FlagAdder& add, std::string& value, std::string_view help);
// The kind; null for "", Code::usage with the existing kinds for unknown ones.
Result<const job::Kind*> kind_flag(const std::string& text);

// Which logs are printed, and how.
struct LogFlags {
  bool all = false;
  bool timestamps = false;
  job::Prefix prefix = job::Prefix::automatic;
  std::string role, rank, container, save;
};
void add_prefix_flag(const FlagAdder& add, LogFlags& flags);
void add_save_flag(const FlagAdder& add, LogFlags& flags);
void add_log_flags(const FlagAdder& add, LogFlags& flags);
job::LogChoice log_choice(const LogFlags& flags);

// How long to wait.
inline constexpr Duration k_start_timeout = std::chrono::minutes(5);
enum class OnGiveUp { leave, remove };
enum class OnInterrupt { detach, cancel };
struct WaitFlags {
  std::optional<Duration> timeout;
  std::optional<Duration> start_timeout = k_start_timeout;
  std::string result_file, junit;
  OnGiveUp on_give_up = OnGiveUp::leave;
  OnInterrupt on_interrupt = OnInterrupt::detach;
  bool fail_fast = false;
  bool require_all = false;
  bool events = false;
};
void add_wait_flags(const FlagAdder& add, WaitFlags& flags);

}  // namespace trainctl::cli
