// Takes out of a manifest or a text what looks like a credential, before it is shown. Pure. What
// the history keeps is decided by kept_values.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "manifest/manifest.h"

namespace trainctl::job {

// True for the name of a variable, flag or annotation such as HF_TOKEN, --api-key,
// DB_PASS or wandb.ai/api-key.
bool looks_like_credential(std::string_view name);

// Replaces what was left out.
inline constexpr std::string_view k_left_out = "***";

// The text with its secrets left out: tokens recognised by their prefix, values after NAME= and
// --name=, users and passwords in URLs.
std::string text_without_secrets(std::string_view text);
// The value of the variable, or k_left_out in its place or in place of a part of it.
std::string value_without_secrets(std::string_view variable, std::string_view value);
// The manifest with the values of such variables, flags and annotations left out.
Json without_secrets(const Json& manifest);

// The literal values of variables whose names say that they are credentials, wherever the manifest
// has them; none that is so short that it may be a word of its own.
std::vector<std::string> credential_values(const Json& manifest);
// The text with k_left_out in place of these values.
std::string text_without_values(std::string text, const std::vector<std::string>& values);
// The value with k_left_out in place of these texts, wherever they stand in it.
Json without_values(const Json& value, const std::vector<std::string>& values);
// A report of a job without all of these: its program may have printed them.
Json report_without_secrets(const Json& report);

// One warning for what the history would leave out of the variables and arguments of the replicas
// and of `program`, a TrainJob's; "" when nothing. No value is in it. References such as $(TOKEN)
// are not credentials.
std::string plain_credentials_warning(const std::vector<Replica>& replicas, const Json& program);

}  // namespace trainctl::job
