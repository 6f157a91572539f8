// A thin layer over CLI11 that defines each type of option in one way.
#include "cli/options/bind.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/text/text.h"

namespace trainctl::cli {
namespace {

using Read = std::function<void(const std::string& value)>;

// The value that CLI11 gives to a flag without one.
constexpr std::string_view k_true = "true";
constexpr Word<bool> k_booleans[] = {{k_true, true}, {"false", false}};

[[noreturn]] void refuse(const options::OptionRow& row, const std::string& complaint) {
  throw CLI::ValidationError(cat("--", row.name), complaint);
}

// Commands may use a letter that stands for an option of every command otherwise.
std::string names_of(const options::OptionRow& row, const CLI::App& app) {
  const std::string name = cat("--", row.name);
  const std::string letter{'-', row.letter};
  const bool is_taken = options::is_global(row) && app.get_option_no_throw(letter) != nullptr;
  return row.letter == 0 || is_taken ? name : cat(letter, ',', name);
}

// Defines the option with these names; `read` takes its values in their order, and the last one
// counts.
CLI::Option* define(CLI::App& app, const std::string& names, std::string_view value_name,
                    std::string_view group, std::string_view help, Read read) {
  auto* option = app.add_option(
      names,
      [read = std::move(read)](const CLI::results_t& values) {
        for (const auto& value : values) read(value);
        return true;
      },
      std::string(help));
  return option->type_name(std::string(value_name))->group(std::string(group))->take_last();
}

// The place of the word among those of the row.
std::size_t place_of(const options::OptionRow& row, std::string_view word) {
  const std::vector<std::string> words = row.words.texts();
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) refuse(row, cat("`", word, "` is not one of ", join(words, ", ")));
  return static_cast<std::size_t>(found - words.begin());
}

CLI::Option* take_all(CLI::Option* option) {
  // Any number of occurrences, with one value each.
  return option->expected(1, CLI::detail::expected_max_vector_size)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

const options::OptionRow& OptionBinder::row_of(options::OptionName name) const {
  const options::OptionRow* row = options::find_option_row(command_, name.text());
  if (row == nullptr) throw std::logic_error(cat("no row of --", name.text(), " for ", command_));
  return *row;
}

CLI::Option* OptionBinder::add(const options::OptionRow& row, std::string_view value_name,
                               Read read) const {
  return define(app_, names_of(row, app_), value_name, row.group, row.help, std::move(read))
      ->allow_extra_args(false);
}

CLI::Option* OptionBinder::operator()(options::OptionName name, bool& value) const {
  const options::OptionRow& row = row_of(name);
  if (row.type != options::Type::toggle)
    throw std::logic_error(cat("--", name.text(), " is not a toggle"));
  auto read = [&row, &value](const std::string& text) {
    const auto given = value_of(k_booleans, text);
    if (!given) refuse(row, cat("`", text, "` is not true or false"));
    value = *given;
  };
  return add(row, row.value, std::move(read))->expected(0);
}

CLI::Option* OptionBinder::operator()(options::OptionName name, std::string& value) const {
  const options::OptionRow& row = row_of(name);
  if (row.bare.empty()) {
    return add(row, row.value, [&value](const std::string& text) { value = text; });
  }
  auto read = [&row, &value](const std::string& text) { value = text == k_true ? row.bare : text; };
  return add(row, cat("[=", row.value, "]"), std::move(read))->expected(0);
}

CLI::Option* OptionBinder::operator()(options::OptionName name,
                                      std::vector<std::string>& values) const {
  const options::OptionRow& row = row_of(name);
  auto* option =
      add(row, row.value, [&values](const std::string& text) { values.push_back(text); });
  return take_all(option);
}

template <typename Value, typename Parse>
CLI::Option* OptionBinder::parsed(options::OptionName name, std::vector<Value>& values,
                                  Parse parse) const {
  const options::OptionRow& row = row_of(name);
  auto read = [&row, &values, parse](const std::string& text) {
    auto value = parse(text);
    if (!value) refuse(row, value.error().message);
    values.push_back(*std::move(value));
  };
  return take_all(add(row, row.value, std::move(read)));
}

CLI::Option* OptionBinder::operator()(options::OptionName name,
                                      std::vector<Pattern>& values) const {
  return parsed(name, values, [](const std::string& text) { return Pattern::make(text); });
}

CLI::Option* OptionBinder::operator()(options::OptionName name, job::MetricPatterns& values) const {
  return parsed(name, values, job::parse_metric_pattern);
}

CLI::Option* OptionBinder::operator()(options::OptionName name,
                                      std::optional<Duration>& value) const {
  const options::OptionRow& row = row_of(name);
  auto read = [&row, &value](const std::string& text) {
    auto duration = parse_duration(text);
    if (!duration) refuse(row, cat(duration.error().message, ": ", duration.error().hint));
    value = *duration;
  };
  return add(row, row.value, std::move(read));
}

CLI::Option* OptionBinder::operator()(options::OptionName name, std::optional<long>& value) const {
  const options::OptionRow& row = row_of(name);
  auto read = [&row, &value](const std::string& text) {
    const auto number = parse_number<long>(text);
    if (!number) refuse(row, cat("`", text, "` is not a whole number"));
    value = number;
  };
  return add(row, row.value, std::move(read));
}

CLI::Option* OptionBinder::choice(const options::OptionRow& row,
                                  std::function<void(std::size_t)> choose) const {
  auto read = [&row, choose = std::move(choose)](const std::string& text) {
    const bool is_alone = !row.bare.empty() && text == k_true;
    choose(place_of(row, is_alone ? row.bare : text));
  };
  const std::string words = join(row.words.texts(), "|");
  const std::string shown = row.bare.empty() ? words : cat("[=", words, "]");
  CLI::Option* option = add(row, row.value.empty() ? shown : row.value, std::move(read));
  return row.bare.empty() ? option : option->expected(0);
}

CLI::Option* OptionBinder::choices(const options::OptionRow& row,
                                   std::function<void(std::size_t)> choose) const {
  auto read = [&row, choose = std::move(choose)](const std::string& text) {
    for (const std::string& word : split(text, ',')) choose(place_of(row, word));
  };
  const std::string words = join(row.words.texts(), "|");
  return take_all(add(row, row.value.empty() ? words : row.value, std::move(read)));
}

CLI::Option* OptionBinder::positional(std::string_view group, const std::string& name,
                                      std::vector<std::string>& values, std::size_t at_least,
                                      std::size_t at_most, std::string_view help) const {
  auto read = [&values, at_most](const std::string& word) {
    if (values.size() == at_most) throw UnexpectedWord{word};
    values.push_back(word);
  };
  // CLI11 fills optional positionals only when they may take any number of words.
  return define(app_, name, name, group, help, read)
      ->expected(static_cast<int>(at_least), CLI::detail::expected_max_vector_size)
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

void refuse_below_one(CLI::Option* option) {
  check_values(option, [](const std::string& text) {
    return text.starts_with('-') || text == "0" ? cat("`", text, "` is less than 1") : "";
  });
}

Result<std::string> only_manifest(std::string_view command, std::vector<std::string> words,
                                  const std::vector<std::string>& files) {
  words.insert(words.end(), files.begin(), files.end());
  if (words.size() == 1) return words.front();
  const std::string start = cat("trainctl ", command);
  return Error{
      Code::usage,
      words.empty() ? "no manifest given" : cat("two manifests given: ", command, " takes one"),
      cat("write ", start, " FILE, or ", command == "submit" ? "trainctl" : start,
          " submit-pytorch …")};
}

void add_kind_flag(const OptionBinder& bind, std::string& value) {
  check_values(bind("kind", value), [](const std::string& text) {
    const auto kind = options::kind_flag(text);
    return kind ? "" : cat(kind.error().message, "; ", kind.error().hint);
  });
}

void add_line_flags(const OptionBinder& bind, job::LogChoice& logs) {
  bind("timestamps", logs.timestamps);
  bind("prefix", logs.prefix);
  bind("include", logs.lines.include);
  bind("exclude", logs.lines.exclude);
  bind("highlight", logs.lines.highlight);
  bind("metric", logs.metrics);
}

void add_wait_flags(const OptionBinder& bind, options::WaitFlags& flags) {
  bind("timeout", flags.timeout);
  bind("start-timeout", flags.follow.start_timeout);
  bind("fail-fast", flags.follow.goal.fail_fast);
  bind("require-all-replicas", flags.follow.goal.require_all);
  bind("fail-on-nan", flags.fail_on_nan);
  bind("on-give-up", flags.follow.leave.on_give_up);
  bind("on-timeout", flags.follow.leave.on_give_up);
  bind("on-interrupt", flags.follow.leave.on_interrupt);
  bind("events", flags.follow.events);
  bind("result-file", flags.result_file);
  bind("junit", flags.junit);
  bind("report", flags.report);
  bind("notify", flags.notify);
  bind("no-history", flags.history.none);
}

void add_stall_flags(const OptionBinder& bind, options::WaitFlags& flags) {
  bind("stall", flags.follow.stall.after);
  bind("on-stall", flags.follow.leave.on_stall);
}

Result<work::TargetQuery> TargetFlags::query() const {
  TRY_ASSIGN(const job::Kind* wanted, options::kind_flag(kind));
  TRY_ASSIGN(job::JobRef ref, work::job_ref(jobs.front(), wanted));
  return work::TargetQuery{std::move(ref), rank, container};
}

void add_target_job(const OptionBinder& bind, TargetFlags& flags) {
  bind.positional("Selection", "JOB[/REPLICA]", flags.jobs, 1, 1,
                  "job, replica of a job, or pod; the leader if no replica is named");
}

void add_target_flags(const OptionBinder& bind, TargetFlags& flags) {
  check_values(bind("rank", flags.rank), [](const std::string& text) {
    return job::parse_index(text) ? "" : cat("`", text, "` is not a rank");
  });
  bind("container", flags.container);
  add_kind_flag(bind, flags.kind);
}

void add_code_flags(const OptionBinder& bind, work::CodeSource& code) {
  CLI::Option* directory = bind("code", code.directory);
  check_values(directory, [](const std::string& value) {
    return std::string(value.empty() ? "must not be empty: --code . sends this directory" : "");
  });
  bind("code-include", code.included);
  bind("code-image", code.image);
  check_values(bind("code-claim", code.claim), [](const std::string& value) {
    const auto claim = job::parse_code_claim(value);
    return claim ? std::string() : claim.error().message;
  });
}

}  // namespace trainctl::cli
