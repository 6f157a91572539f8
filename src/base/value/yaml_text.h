// Checks of a YAML text that need no parsing, and guards for input that the parser wrongly accepts.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/yaml_builder.h"

namespace trainctl {

// The lines of a text, split once, since a stream of many documents needs many of them.
class YamlLines {
 public:
  explicit YamlLines(std::string_view text);

  // The whole line at a place; "" when there is none.
  std::string_view at(Place place) const;
  // Everything from a place to the end of the text.
  std::string_view from(Place place) const;

 private:
  std::vector<std::string_view> lines_;
};

// Refuses input that must not reach the parser: bytes it would guess an encoding from, control
// characters, one of which (U+0004) it takes for the end of the file, and endless brackets, all of
// which it keeps in memory (4 GB for 16 MB) before the first event.
Status check_characters(std::string_view text, std::string_view name);

// False when text begins a quoted scalar that never ends. The parser closes a quote at the end of
// the file, which would swallow the rest of the manifest.
bool quote_is_closed(std::string_view text);

// True for "---" and for "--- text", not for "----".
bool is_document_marker(std::string_view line);

}  // namespace trainctl
