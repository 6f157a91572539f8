// Checks of simple flags' values: each turns a text into JSON, or says what is wrong with it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::job {

// An error with Code::usage, without the flag's name, which the caller adds.
Error bad_value(std::string_view text, std::string_view fault, std::string_view hint = "");

// bad_value() for a fault; nothing for "".
Status require(std::string_view text, const std::string& fault);

struct KeyValue {
  std::string key;
  std::string value;
};
// Parses "KEY=VALUE", split at the first '='.
Result<KeyValue> key_and_value(std::string_view text, std::string_view shape);

Result<Json> check_text(std::string_view text);
Result<Json> check_count(std::string_view text);     // 0, 1, 2, …
Result<Json> check_positive(std::string_view text);  // 1, 2, …
Result<Json> check_object_name(std::string_view text);
Result<Json> check_image(std::string_view text);
Result<Json> check_directory(std::string_view text);  // an absolute path
Result<Json> check_amount(std::string_view text);     // a resource quantity
Result<Json> check_size(std::string_view text);       // the same, of bytes
Result<Json> check_seconds(std::string_view text);    // a duration, in whole seconds
Result<Json> check_deadline(std::string_view text);   // the same, at least one second
Result<Json> check_processes(
    std::string_view text);  // torchrun's processes: auto, cpu, gpu or a number
Result<Json> check_label_value(std::string_view text);
Result<Json> check_pull_policy(std::string_view text);
Result<Json> check_restart_policy(std::string_view text);
Result<Json> check_clean_pod_policy(std::string_view text);
Result<Json> check_success_policy(std::string_view text);
Result<Json> check_rendezvous_backend(std::string_view text);

}  // namespace trainctl::job
