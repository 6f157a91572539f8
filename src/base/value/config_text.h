// Works on the text of a configuration file: finds the line of a key, and changes one key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl {

// Parses a file's content; {} for a text of comments alone. Code::usage for anything but a mapping.
Result<Json> parse_config(std::string_view text, const std::string& path);

// The line of a key in mappings of any depth, outermost first, counted from 1; 0 when the key is
// not on a line of its own, as in `get: {output: wide}`.
int config_line(std::string_view text, const std::vector<std::string>& path);

// The text with the key set, or removed when `value` is null. Code::usage for a text with comments,
// which would be lost; the hint says what to write by hand.
Result<std::string> with_config_key(const std::string& text, const std::string& path,
                                    const std::string& section, const std::string& key,
                                    const Json& value);

}  // namespace trainctl
