// Spares the YAML parser the long words of base64 that kubeconfigs are full of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainctl {

// The parser takes a thousand steps for each character of a plain scalar. Here the long words at
// the ends of lines are taken out of a text, which means the same with other words in their places,
// and are put back into what the parser has read. Lines and columns of all that is left stay as
// they are.
class YamlLongWords {
 public:
  // Keeps no copy of the text, which must outlive it.
  explicit YamlLongWords(std::string_view text);

  // The text with stand-ins for the long words.
  const std::string& shortened() const { return shortened_; }
  // A scalar of the shortened text as it is in the whole one.
  std::string restored(std::string scalar) const;

 private:
  std::string shortened_;
  std::vector<std::string_view> words_;
};

}  // namespace trainctl
