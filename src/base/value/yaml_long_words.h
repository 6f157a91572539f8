// Keeps the long base64 words of kubeconfigs away from the YAML parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainctl {

// The parser takes a thousand steps for each character of a plain scalar. This class replaces the
// long words at the ends of lines by short stand-ins, and puts them back into the parsed values.
// Lines and columns of the remaining text are unchanged.
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

}  // namespace trainctl
