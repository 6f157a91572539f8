// Implements the checks of the simple rows of the flag table.
#include "manifest/flags/values.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "base/text/time.h"
#include "base/value/quantity.h"
#include "manifest/kind/names.h"

namespace trainctl::job {
namespace {

constexpr std::int64_t k_int32_max = std::numeric_limits<std::int32_t>::max();

Result<Json> number_from(std::int64_t least, std::string_view text) {
  const auto number = parse_number<std::int64_t>(text);
  if (!number) return bad_value(text, "is not a whole number");
  if (*number < least) return bad_value(text, cat("is less than ", least));
  if (*number > k_int32_max) return bad_value(text, cat("is more than ", k_int32_max));
  return Json(*number);
}

Result<Json> one_of(std::string_view text, const std::vector<std::string>& choices) {
  if (std::ranges::find(choices, text) != choices.end()) return Json(text);
  std::string hint = cat("one of ", join(choices, ", "));
  for (const std::string& choice : choices) {
    if (lower(choice) == lower(text)) hint = cat("write ", choice);
  }
  return bad_value(text, "is not a choice", hint);
}

Result<Json> named(std::string_view text, const std::string& fault) {
  if (!fault.empty()) return bad_value(text, fault);
  return Json(text);
}

Result<Json> seconds_from(std::int64_t least, std::string_view text) {
  TRY_ASSIGN(const Duration duration, parse_duration(text));
  const std::int64_t seconds = std::chrono::ceil<std::chrono::seconds>(duration).count();
  if (seconds < least) return bad_value(text, cat("is less than ", least, " s"));
  if (seconds > k_int32_max) return bad_value(text, "is longer than 68 years");
  return Json(seconds);
}

}  // namespace

Error bad_value(std::string_view text, std::string_view fault, std::string_view hint) {
  return {Code::usage, cat('\'', printable_line(text), "' ", fault), std::string(hint)};
}

Status require(std::string_view text, const std::string& fault) {
  if (fault.empty()) return {};
  return bad_value(text, fault);
}

Result<KeyValue> key_and_value(std::string_view text, std::string_view shape) {
  Halves halves = split_once(text, '=');
  if (!halves.found) return bad_value(text, cat("is not ", shape));
  return KeyValue{std::move(halves.first), std::move(halves.second)};
}

Result<Json> check_text(std::string_view text) {
  return Json(text);
}

Result<Json> check_count(std::string_view text) {
  return number_from(0, text);
}

Result<Json> check_positive(std::string_view text) {
  return number_from(1, text);
}

Result<Json> check_object_name(std::string_view text) {
  return named(text, object_name_fault(text));
}

Result<Json> check_image(std::string_view text) {
  const bool is_odd =
      std::ranges::any_of(text, [](unsigned char c) { return c <= ' ' || c == 0x7f; });
  if (is_odd) return bad_value(text, "contains a space or a control character");
  return Json(text);
}

Result<Json> check_directory(std::string_view text) {
  if (!text.starts_with('/')) return bad_value(text, "is not an absolute path");
  return Json(text);
}

Result<Json> check_amount(std::string_view text) {
  TRY_ASSIGN(std::string quantity, checked_quantity(text));
  return Json(std::move(quantity));
}

Result<Json> check_size(std::string_view text) {
  TRY_ASSIGN(std::string size, checked_size(text));
  return Json(std::move(size));
}

Result<Json> check_seconds(std::string_view text) {
  return seconds_from(0, text);
}

Result<Json> check_deadline(std::string_view text) {
  return seconds_from(1, text);
}

Result<Json> check_processes(std::string_view text) {
  if (text == "auto" || text == "cpu" || text == "gpu") return Json(text);
  const auto number = parse_number<std::int64_t>(text);
  if (!number || *number < 1 || *number > k_int32_max) {
    return bad_value(text, "is not a number of processes", "one of auto, cpu, gpu, 1, 2, …");
  }
  return Json(std::to_string(*number));
}

Result<Json> check_label_value(std::string_view text) {
  return named(text, label_value_fault(text));
}

Result<Json> check_pull_policy(std::string_view text) {
  return one_of(text, {"Always", "IfNotPresent", "Never"});
}

Result<Json> check_restart_policy(std::string_view text) {
  return one_of(text, {"Always", "OnFailure", "Never", "ExitCode"});
}

Result<Json> check_clean_pod_policy(std::string_view text) {
  return one_of(text, {"Running", "All", "None"});
}

Result<Json> check_success_policy(std::string_view text) {
  if (text == "Default") return Json("");
  return one_of(text, {"Default", "AllWorkers"});
}

Result<Json> check_rendezvous_backend(std::string_view text) {
  return one_of(text, {"c10d", "etcd", "etcd-v2"});
}

}  // namespace trainctl::job
