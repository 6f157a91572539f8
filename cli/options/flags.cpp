// A thin layer over CLI11 that defines each type of flag in one way.
#include "cli/options/flags.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/text/number.h"
#include "base/text/text.h"

namespace trainctl::cli {
namespace {

using Read = std::function<void(const std::string& value)>;

// What CLI11 gives to a flag without a value.
constexpr std::string_view k_true = "true";
constexpr Word<bool> k_booleans[] = {{k_true, true}, {"false", false}};
constexpr Word<OnGiveUp> k_on_give_up[] = {{"leave", OnGiveUp::leave},
                                           {"delete", OnGiveUp::remove}};
constexpr Word<OnInterrupt> k_on_interrupt[] = {{"detach", OnInterrupt::detach},
                                                {"cancel", OnInterrupt::cancel}};

[[noreturn]] void refuse(const std::string& names, const std::string& complaint) {
  throw CLI::ValidationError(split(names, ',').back(), complaint);
}

CLI::Option* add_option(const FlagAdder& add, const std::string& names, Read read,
                        std::string_view value_name, std::string_view help) {
  auto* option = add.app.add_option(
      names,
      [read = std::move(read)](const CLI::results_t& values) {
        for (const auto& value : values) read(value);
        return true;
      },
      std::string(help));
  option->type_name(std::string(value_name))->group(add.group)->allow_extra_args(false);
  option->take_last();
  return option;
}

}  // namespace

CLI::Option* FlagAdder::text(const std::string& names, std::string& value,
                             std::string_view value_name, std::string_view help) const {
  return add_option(
      *this, names, [&value](const std::string& text) { value = text; }, value_name, help);
}

CLI::Option* FlagAdder::list(const std::string& names, std::vector<std::string>& values,
                             std::string_view value_name, std::string_view help) const {
  auto* option = add_option(
      *this, names, [&values](const std::string& text) { values.push_back(text); }, value_name,
      help);
  // Takes any number of occurrences, with one value each.
  return option->expected(1, CLI::detail::expected_max_vector_size)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* FlagAdder::toggle(const std::string& names, bool& value, std::string_view help) const {
  auto read = [names, &value](const std::string& text) {
    const auto given = value_of(k_booleans, text);
    if (!given) refuse(names, cat("`", text, "` is not true or false"));
    value = *given;
  };
  return add_option(*this, names, std::move(read), "", help)->expected(0);
}

CLI::Option* FlagAdder::one_of(const std::string& names, std::vector<std::string> words,
                               std::function<void(std::size_t)> choose, std::string_view bare,
                               std::string_view help) const {
  const std::string shown = bare.empty() ? join(words, "|") : cat("[=", join(words, "|"), "]");
  auto read = [names, words = std::move(words), choose = std::move(choose),
               bare = std::string(bare)](const std::string& text) {
    const bool is_alone = !bare.empty() && text == k_true;
    const auto found = std::ranges::find(words, is_alone ? bare : text);
    if (found == words.end()) refuse(names, cat("`", text, "` is not one of ", join(words, ", ")));
    choose(static_cast<std::size_t>(found - words.begin()));
  };
  CLI::Option* option = add_option(*this, names, std::move(read), shown, help);
  return bare.empty() ? option : option->expected(0);
}

CLI::Option* FlagAdder::optional_text(const std::string& names, std::string& value,
                                      std::string bare, std::string_view value_name,
                                      std::string_view help) const {
  auto read = [bare = std::move(bare), &value](const std::string& text) {
    value = text == k_true ? bare : text;
  };
  return add_option(*this, names, std::move(read), cat("[=", value_name, "]"), help)->expected(0);
}

CLI::Option* FlagAdder::duration(const std::string& names, std::optional<Duration>& value,
                                 std::string_view help) const {
  auto read = [names, &value](const std::string& text) {
    auto duration = parse_duration(text);
    if (!duration) refuse(names, cat(duration.error().message, ": ", duration.error().hint));
    value = *duration;
  };
  return add_option(*this, names, std::move(read), "DURATION", help);
}

CLI::Option* FlagAdder::count(const std::string& names, std::optional<long>& value,
                              std::string_view value_name, std::string_view help,
                              long least) const {
  auto read = [names, least, &value](const std::string& text) {
    const auto number = parse_number<long>(text);
    if (!number) refuse(names, cat("`", text, "` is not a whole number"));
    if (*number < least) refuse(names, cat("`", text, "` is less than ", least));
    value = number;
  };
  return add_option(*this, names, std::move(read), value_name, help);
}

CLI::Option* FlagAdder::positional(const std::string& name, std::vector<std::string>& values,
                                   int at_least, std::size_t at_most, std::string_view help) const {
  auto read = [&values, at_most](const std::string& word) {
    if (values.size() == at_most) throw CLI::ValidationError(cat("unexpected word `", word, "`"));
    values.push_back(word);
  };
  // CLI11 fills optional positionals only when they may take any number of words.
  return add_option(*this, name, std::move(read), name, help)
      ->expected(at_least, CLI::detail::expected_max_vector_size)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->required(at_least > 0)
      ->allow_extra_args(true);
}

void check_values(CLI::Option* option, std::function<std::string(const std::string&)> fault) {
  option->check([option, fault = std::move(fault)](const std::string& text) {
    const bool all_count = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    return all_count || text == option->results().back() ? fault(text) : std::string();
  });
}

void add_kind_flag(const FlagAdder& add, std::string& value, std::string_view help) {
  check_values(add.text("--kind", value, "KIND", help), [](const std::string& text) {
    const auto kind = kind_flag(text);
    return kind ? "" : cat(kind.error().message, "; ", kind.error().hint);
  });
}

Result<const job::Kind*> kind_flag(const std::string& text) {
  if (text.empty()) return static_cast<const job::Kind*>(nullptr);
  if (const job::Kind* kind = job::find_kind(text)) return kind;
  std::vector<std::string> aliases;
  for (const job::Kind* kind : job::first_versions()) aliases.emplace_back(kind->alias);
  return Error{Code::usage, cat("there is no kind `", text, "`"),
               cat("the kinds are ", join(aliases, ", "))};
}

void add_log_flags(const FlagAdder& add, LogFlags& flags) {
  add.toggle("--all", flags.all, "logs of every replica");
  add.text("--role", flags.role, "ROLE", "logs of every replica of a role");
  add.text("--rank", flags.rank, "N[,N]", "log of the replica of this rank; several: 0,last");
  add.text("-c,--container", flags.container, "NAME", "container, if not the training one");
  add.toggle("--timestamps", flags.timestamps, "time of each line in front");
  add_prefix_flag(add, flags);
}

void add_prefix_flag(const FlagAdder& add, LogFlags& flags) {
  static constexpr Word<job::Prefix> k_prefixes[] = {{"auto", job::Prefix::automatic},
                                                     {"always", job::Prefix::always},
                                                     {"never", job::Prefix::never}};
  add.choice("--prefix", flags.prefix, k_prefixes,
             "[REPLICA] in front of each line; auto: when there are several");
}

void add_save_flag(const FlagAdder& add, LogFlags& flags) {
  add.text("--save-logs", flags.save, "DIR",
           "also write the logs of all replicas there, a file each and per attempt");
}

job::LogChoice log_choice(const LogFlags& flags) {
  job::LogChoice choice;
  choice.selection.all = flags.all;
  choice.selection.role = flags.role;
  if (!flags.rank.empty()) choice.selection.choose_ranks(flags.rank);
  choice.selection.container = flags.container;
  choice.timestamps = flags.timestamps;
  choice.prefix = flags.prefix;
  return choice;
}

void add_wait_flags(const FlagAdder& add, WaitFlags& flags) {
  add.duration("--timeout", flags.timeout, "give up after this long, exit 7 (default: never)");
  add.duration("--start-timeout", flags.start_timeout,
               "how long a job that cannot start (image, config, no node) is waited for before "
               "exit 9 (default 5m)");
  add.toggle("--fail-fast", flags.fail_fast,
             "end with exit 3 when a replica is dead, even while the job goes on");
  add.toggle("--require-all-replicas", flags.require_all, "exit 3 when any replica failed");
  add.choice(
      "--on-give-up", flags.on_give_up, k_on_give_up,
      "what becomes of a job that has not ended when it is given up: --timeout, a start that "
      "fails, --fail-fast, a crash loop, lost contact (default leave)");
  add.choice("--on-timeout", flags.on_give_up, k_on_give_up, "the older name of --on-give-up");
  add.choice("--on-interrupt", flags.on_interrupt, k_on_interrupt,
             "what Ctrl-C, SIGTERM, a closed terminal and a lost stdout do: cancel deletes the job "
             "(default detach)");
  add.toggle("--events", flags.events, "say on stderr what happens to the job and its pods");
  add.text("--result-file", flags.result_file, "FILE",
           "write the final report there, as JSON, with the verdict");
  add.text("--junit", flags.junit, "FILE", "write the verdict there as a JUnit test result");
}

}  // namespace trainctl::cli
