// Checks for the values of simple flags: text in, JSON or what is wrong with it out.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace trainctl::job {

// Code::usage, without the flag's name: the caller adds that.
Error bad_value(std::string_view text, std::string_view fault, std::string_view hint = "");
// A whole decimal number and nothing else.
std::optional<std::int64_t> whole_number(std::string_view text);

Result<Json> check_text(std::string_view text);
Result<Json> check_count(std::string_view text);     // 0, 1, 2, …
Result<Json> check_positive(std::string_view text);  // 1, 2, …
Result<Json> check_job_name(std::string_view text);
Result<Json> check_object_name(std::string_view text);
Result<Json> check_image(std::string_view text);
Result<Json> check_directory(std::string_view text);  // absolute
Result<Json> check_amount(std::string_view text);     // a resource quantity
Result<Json> check_seconds(std::string_view text);    // a duration, as whole seconds
Result<Json> check_deadline(std::string_view text);   // the same, at least a second
Result<Json> check_processes(std::string_view text);  // of torchrun: auto, cpu, gpu or a number
Result<Json> check_label_value(std::string_view text);
Result<Json> check_pull_policy(std::string_view text);
Result<Json> check_restart_policy(std::string_view text);
Result<Json> check_clean_pod_policy(std::string_view text);
Result<Json> check_success_policy(std::string_view text);
Result<Json> check_rendezvous_backend(std::string_view text);

}  // namespace trainctl::job
