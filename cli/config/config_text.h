// The text of a configuration file: on which line a key stands, and changes of one key that leave
// all else, comments too, as it is.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace trainctl::cli {

// A file's content; {} for a text of comments alone. Code::usage for what is no mapping.
Result<Json> parse_config(std::string_view text, const std::string& path);

// Counted from 1; 0 when the key is not on a line of its own, as in `get: {output: wide}`.
int config_line(std::string_view text, const std::string& section, const std::string& key);

// The text with the key set; removed when `value` is null. Code::usage when that cannot be done
// without losing a comment.
Result<std::string> with_config_key(const std::string& text, const std::string& path,
                                    const std::string& section, const std::string& key,
                                    const Json& value);

}  // namespace trainctl::cli
