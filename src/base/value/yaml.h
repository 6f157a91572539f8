// Converts YAML text to JSON values and back; the only file that knows yaml-cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl {

// The part of YAML that is JSON, read by the JSON parser. The value of a text that is one JSON
// object or array within the limits of from_yaml. nullopt for all other texts, which the YAML
// parser then reads, or refuses by line and column. Tabs, surrogate escapes and long keys are valid
// JSON, but that parser rejects them.
std::optional<Json> read_as_json(std::string_view text);

// Keeps the long base64 words of kubeconfigs away from the YAML parser. The parser takes a thousand
// steps for each character of a plain scalar. This class replaces the long words at the ends of
// lines by short stand-ins, and puts them back into the parsed values. Lines and columns of the
// remaining text are unchanged.
class YamlLongWords {
 public:
  // Keeps no copy of the text, which must outlive it.
  explicit YamlLongWords(std::string_view text);

  // The text with stand-ins in place of the long words.
  const std::string& shortened() const { return shortened_; }
  // A scalar of the shortened text with its original words.
  std::string restored(std::string scalar) const;

 private:
  std::string shortened_;
  std::vector<std::string_view> words_;
};

// Exactly one document. `name` is the file's name for messages: "job.yaml:3:7: …".
// Refused (Code::usage) with line and column: syntax errors, duplicate keys, tabs as indentation,
// anything behind the first document, keys that are not text, tags but those of the core schema,
// more than 200 000 values or 64 MiB after aliases are expanded (alias bombs), more than 100
// levels, invalid UTF-8, control characters. Also more than 16 MiB and a document that is empty or
// null. Plain scalars are typed as Kubernetes means them: null/~/empty, true/false in three
// spellings, decimal, hexadecimal and octal integers (0644 and 0o644 are both 420, as `defaultMode:
// 0644` is for kubectl), floats; everything else, `yes` and `on` included, is a string. Infinities
// and NaN are refused, JSON has none. Merge keys (`<<`) are expanded; JSON is accepted, being YAML.
Result<Json> from_yaml(std::string_view text, std::string_view name);

// Reads all documents of a stream; empty ones are omitted.
Result<std::vector<Json>> from_yaml_stream(std::string_view text, std::string_view name);

// Prints block style, two spaces, a final newline. Every string that any YAML 1.1 or 1.2 reader
// could take for something else is double-quoted; reading the text back gives the same value.
std::string to_yaml(const Json& value);

}  // namespace trainctl
