// Takes out of a manifest or a text what looks like a credential, before it is shown. Pure. What
// the history keeps is decided by kept_values.h.
#pragma once

#include <string>
#include <string_view>

#include "base/value/json.h"

namespace trainctl::job {

// Replaces what was left out.
inline constexpr std::string_view k_left_out = "***";

// The text with its secrets left out: tokens recognised by their prefix, values after NAME= and
// --name=, users and passwords in URLs.
std::string text_without_secrets(std::string_view text);
// The value of the variable, or k_left_out in its place or in place of a part of it.
std::string value_without_secrets(std::string_view variable, std::string_view value);
// The manifest with the values of such variables, flags and annotations left out.
Json without_secrets(const Json& manifest);

}  // namespace trainctl::job
