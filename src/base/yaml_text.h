// What can be said about a YAML text without parsing it; guards for what the parser lets through.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/yaml_builder.h"

namespace trainctl {

// The lines of a text, found once: a stream of many documents asks for many.
class YamlLines {
 public:
  explicit YamlLines(std::string_view text);

  // The whole line of a place, "" when there is none.
  std::string_view at(Place place) const;
  // The text from a place to its end.
  std::string_view from(Place place) const;

 private:
  std::vector<std::string_view> lines_;
};

// Refuses what must not reach the parser: bytes it would guess an encoding from, the control
// characters, one of which (U+0004) it takes for the end of the file, and brackets without end,
// which it all keeps in memory (4 GB for 16 MB) before the first event.
Status check_characters(std::string_view text, std::string_view name);

// False when text begins a quoted scalar that never ends. The parser lets the end of the file close
// a quote, which then holds the rest of the manifest.
bool quote_is_closed(std::string_view text);

// True for "---" and for "--- text", not for "----".
bool is_document_marker(std::string_view line);

}  // namespace trainctl
