// Reads the culprit's reason, its exit code and its last lines.
#include "follow/failure_cause.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "status/exit_words.h"

namespace trainctl::job {
namespace {

constexpr int k_last_exit_code = 255;

constexpr Cause k_infrastructure[] = {Cause::node_lost, Cause::evicted, Cause::nccl};

// Words of NCCL's own errors, and of PyTorch's about them.
constexpr std::string_view k_nccl_words[] = {
    "NCCL error in",
    "ncclSystemError",
    "ncclInternalError",
    "ncclUnhandledCudaError",
    "ncclRemoteError",
    "ProcessGroupNCCL",
    "NCCL communicator was aborted",
};

constexpr std::string_view k_unclean_end = "process group has NOT been destroyed";

// Words of PyTorch, of the CUDA driver, and of XLA for JAX and TensorFlow.
constexpr std::string_view k_cuda_oom_words[] = {
    "CUDA out of memory",
    "CUDA_ERROR_OUT_OF_MEMORY",
    "RESOURCE_EXHAUSTED: Out of memory",
};

bool names_any(std::span<const std::string_view> all, const std::string& line) {
  return std::ranges::any_of(
      all, [&line](std::string_view words) { return line.find(words) != std::string::npos; });
}

std::string known_words() {
  return cat("any, ", join(texts_of(k_causes), ", "), ", exit=CODE, log=REGEX");
}

constexpr std::string_view k_log = "log=";

// A file that was given instead of a pattern would fill the screen.
std::string flag_with(std::string_view text) {
  constexpr int k_columns = 80;
  return cat("--retry-on ", shortened(printable_line(text), k_columns));
}

Status add_log_rule(std::string_view text, RetryRules& rules) {
  auto pattern = Pattern::make(text.substr(k_log.size()));
  if (!pattern) {
    return Error{Code::usage, cat(flag_with(text), ": ", pattern.error().message),
                 "write a regular expression in RE2's syntax: --retry-on 'log=Xid|ECC'"};
  }
  rules.lines.push_back(*std::move(pattern));
  return {};
}

Status add_rule(std::string_view text, RetryRules& rules) {
  const Error unknown{Code::usage, cat(flag_with(text), ": no such cause"),
                      cat("the causes are ", known_words())};
  if (text == "any") {
    rules.chosen = RetryRules::Chosen::any;
    return {};
  }
  if (const auto cause = value_of(k_causes, text)) {
    rules.causes.insert(*cause);
    return {};
  }
  constexpr std::string_view k_exit = "exit=";
  if (!text.starts_with(k_exit)) return unknown;
  const auto code = parse_number<int>(text.substr(k_exit.size()));
  if (!code || *code < 1 || *code > k_last_exit_code) {
    return Error{Code::usage, cat(flag_with(text), ": not an exit code of a failed program"),
                 "write a number from 1 to 255: --retry-on exit=75"};
  }
  rules.exit_codes.insert(*code);
  return {};
}

}  // namespace

Failure failure_of(const Outcome& outcome) {
  Failure failure;
  // PyTorch ends every program that failed before it could clean up with the warning.
  const auto names_nccl = [](const std::string& line) {
    return names_any(k_nccl_words, line) && line.find(k_unclean_end) == std::string::npos;
  };
  if (std::ranges::any_of(outcome.last_lines, names_nccl)) failure.causes.insert(Cause::nccl);
  if (!cuda_oom_line(outcome.last_lines).empty()) failure.causes.insert(Cause::cuda_oom);
  if (!outcome.culprit) return failure;
  const ReplicaState& culprit = *outcome.culprit;
  if (culprit.last_exit.out_of_memory) failure.causes.insert(Cause::oom);
  if (const auto end = pod_end(culprit.run.reason)) {
    failure.causes.insert(*end == PodEnd::lost ? Cause::node_lost : Cause::evicted);
  }
  failure.last_lines = outcome.last_lines;
  failure.exit_code = culprit.last_exit.code;
  failure.replica = culprit.id.name();
  failure.node = culprit.pod.node;
  return failure;
}

std::string cuda_oom_line(const std::vector<std::string>& lines) {
  // A traceback quotes the source first, whose text may have the same words.
  const auto found = std::find_if(lines.rbegin(), lines.rend(), [](const std::string& line) {
    return names_any(k_cuda_oom_words, line);
  });
  if (found == lines.rend()) return "";
  const auto amount = found->find("Tried to allocate");
  return found->substr(0, found->find(". ", amount == std::string::npos ? 0 : amount));
}

std::string infrastructure_causes() {
  std::vector<std::string> words;
  for (const Cause cause : k_infrastructure) words.emplace_back(word_of(k_causes, cause));
  return join(words, ", ");
}

std::string Failure::words() const {
  std::vector<std::string> all;
  for (const Cause cause : causes) all.emplace_back(word_of(k_causes, cause));
  if (exit_code) all.push_back(cat("exit=", *exit_code));
  return all.empty() ? "any" : join(all, ", ");
}

bool RetryRules::cover(const Failure& failure) const {
  if (chosen == Chosen::any) return true;
  // The peers of a process that ran out of memory see an error of NCCL, and so may the process.
  const bool is_full =
      failure.causes.contains(Cause::oom) || failure.causes.contains(Cause::cuda_oom);
  if (chosen == Chosen::by_default && is_full) return false;
  const auto is_wanted = [this](Cause cause) { return causes.contains(cause); };
  if (std::ranges::any_of(failure.causes, is_wanted) || !line_in(failure).empty()) return true;
  return failure.exit_code && exit_codes.contains(*failure.exit_code);
}

std::string RetryRules::line_in(const Failure& failure) const {
  const std::vector<std::string>& all = failure.last_lines;
  const auto found = std::find_if(all.rbegin(), all.rend(), [this](const std::string& line) {
    return std::ranges::any_of(lines, [&](const Pattern& one) { return one.found_in(line); });
  });
  return found == all.rend() ? "" : *found;
}

Result<RetryRules> parse_retry_rules(const std::vector<std::string>& texts) {
  RetryRules rules;
  for (std::string_view rest : texts) {
    // A regular expression may have commas, so it is the last cause of its text.
    while (!rest.starts_with(k_log)) {
      const std::size_t comma = rest.find(',');
      TRY(add_rule(trim(rest.substr(0, comma)), rules));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
    if (rest.starts_with(k_log)) TRY(add_log_rule(rest, rules));
  }
  if (!texts.empty()) return rules;
  rules.chosen = RetryRules::Chosen::by_default;
  rules.causes = {std::begin(k_infrastructure), std::end(k_infrastructure)};
  return rules;
}

}  // namespace trainctl::job
