// Builds JSON values from the events of a YAML parser, and limits how much aliases multiply.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl {

// A position in the text; both are counted from 1.
struct TextPosition {
  int line = 1;
  int column = 1;
  bool operator==(const TextPosition&) const = default;
};

Error yaml_error(std::string_view name, TextPosition place, std::string_view what,
                 std::string hint = "");

// Takes one call per event, in the parser's order; must not be used after the first error.
class YamlBuilder {
 public:
  // A node's own properties: where it is, its tag ("?" plain, "!" quoted), its anchor (0 none).
  struct Node {
    TextPosition place;
    std::string_view tag;
    std::size_t anchor = 0;
  };
  struct Document {
    TextPosition place;
    Json value;
  };

  explicit YamlBuilder(std::string_view name) : name_(name) {}

  void begin_document(TextPosition place);
  Status null(const Node& node);
  Status scalar(const Node& node, const std::string& text);
  Status alias(const Node& node);
  Status begin_collection(const Node& node, bool is_map);
  Status end_collection();

  // All documents, after the parser has finished.
  Result<std::vector<Document>> take_documents();

 private:
  // The size of a value with every alias in it expanded.
  struct Weight {
    std::size_t nodes = 1;
    std::size_t bytes = 0;
    std::size_t depth = 0;
  };
  struct Value {
    Json json;
    Weight weight;
    bool merges = false;  // an unquoted "<<"; as a key it merges its value into the map
  };
  struct Collection {
    TextPosition place;
    std::size_t anchor = 0;
    Value value;
    TextPosition key_place;
    bool has_key = false;
    bool key_merges = false;
    std::string key;
    std::unordered_map<std::string, int> lines;  // lines of the keys so far
    std::vector<Json> merged;
  };

  Status finish(TextPosition place, std::size_t anchor, Value value);
  Status place_in(Collection& parent, TextPosition place, Value value);
  Status take_key(Collection& map, TextPosition place, const Value& key);
  void refuse_key(TextPosition place, const Json& key);
  Status charge(TextPosition place, const Weight& weight);
  Status merge_into(Collection& map, TextPosition place, const Json& source);
  Error error(TextPosition place, std::string_view what, std::string hint = "") const;
  Error wrong_tag(const Node& node) const;

  std::string name_;
  std::vector<Document> documents_;
  std::vector<Collection> open_;
  std::unordered_map<std::size_t, Value> anchors_;
  // Reported only at the end: the parser also sees keys in a text with unbalanced brackets, and
  // then that is the error to report.
  std::optional<Error> bad_key_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace trainctl
