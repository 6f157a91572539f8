// Reduces a manifest to what the history keeps: names, and values that are known to be harmless.
// Pure.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/value/json.h"

namespace trainctl::job {

// Makes what stands for a value that is not kept.
using MarkFor = std::function<std::string(std::string_view value)>;

// "sha256:1f0c38a2b4d6", equal for equal values, from which nobody without the key can guess them;
// k_left_out without a key.
std::string mark_with_key(std::string_view key, std::string_view value);

// The manifest with marks in place of all values of variables, arguments and annotations but those
// that are known to be harmless.
Json with_harmless_values(const Json& manifest, const MarkFor& mark);
// The same for the words of a command line, a list of texts.
Json harmless_words(const Json& words, const MarkFor& mark);

// The values that the history left out of a manifest.
struct LeftOutValues {
  std::set<std::string> variables;  // their names
  bool arguments = false;
  bool others = false;

  bool any() const { return !variables.empty() || arguments || others; }
  // "HF_TOKEN, arguments, other fields"
  std::string names() const;
};
LeftOutValues values_left_out(const Json& manifest);

}  // namespace trainctl::job
