// Builds the tree: keys, merge keys, aliases, and the limits on all of them.
#include "base/value/yaml_builder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "base/value/json.h"

namespace trainctl {
namespace {

// The type and value of an unquoted YAML scalar.
template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

constexpr std::array<std::string_view, 5> k_null = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> k_true = {"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> k_false = {"false", "False", "FALSE"};
constexpr std::array<std::string_view, 6> k_not_finite = {".inf", ".Inf", ".INF",
                                                          ".nan", ".NaN", ".NAN"};
constexpr std::string_view k_decimal_digits = "0123456789";

bool only(std::string_view text, std::string_view alphabet) {
  return !text.empty() && text.find_first_not_of(alphabet) == std::string_view::npos;
}

struct Digits {
  std::string_view text;
  int base = 0;  // 0 = not an integer
};

Digits integer_digits(std::string_view text) {
  const std::string_view rest = text.substr(std::min<std::size_t>(2, text.size()));
  if (text.substr(0, 2) == "0x" && only(rest, "0123456789abcdefABCDEF")) return {rest, 16};
  if (text.substr(0, 2) == "0o" && only(rest, "01234567")) return {rest, 8};
  if (text.size() > 1 && text[0] == '0' && only(text, "01234567")) return {text, 8};
  if (only(text, k_decimal_digits)) return {text, 10};
  return {};
}

// The integer; nullopt when 64 bits cannot hold it.
std::optional<Json> integer(const Digits& digits, bool negative) {
  std::uint64_t magnitude = 0;
  const char* end = digits.text.data() + digits.text.size();
  if (std::from_chars(digits.text.data(), end, magnitude, digits.base).ec != std::errc{}) {
    return std::nullopt;
  }
  constexpr std::uint64_t k_half = std::uint64_t{1} << 63U;
  if (!negative)
    return magnitude < k_half ? Json(static_cast<std::int64_t>(magnitude)) : Json(magnitude);
  if (magnitude > k_half) return std::nullopt;
  return Json(static_cast<std::int64_t>(0 - magnitude));
}

// True for digits with at most one point, and an optional exponent.
bool is_decimal(std::string_view text) {
  const auto exponent_at = text.find_first_of("eE");
  std::string mantissa(text.substr(0, exponent_at));
  if (const auto point = mantissa.find('.'); point != std::string::npos) mantissa.erase(point, 1);
  if (!only(mantissa, k_decimal_digits)) return false;
  if (exponent_at == std::string_view::npos) return true;
  std::string_view exponent = text.substr(exponent_at + 1);
  if (!exponent.empty() && (exponent[0] == '+' || exponent[0] == '-')) exponent.remove_prefix(1);
  return only(exponent, k_decimal_digits);
}

std::optional<Json> real(std::string_view text, bool negative) {
  double magnitude = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), magnitude).ec != std::errc{}) {
    return std::nullopt;
  }
  return Json(negative ? -magnitude : magnitude);
}

// Returns null, a boolean, a number or a string; nullopt for numbers that JSON cannot hold (.inf,
// .nan, 1e999).
std::optional<Json> plain_scalar(const std::string& text) {
  if (is_one_of(text, k_null)) return Json(nullptr);
  if (is_one_of(text, k_true)) return Json(true);
  if (is_one_of(text, k_false)) return Json(false);
  const bool negative = text[0] == '-';
  std::string_view unsigned_text = text;
  if (text[0] == '-' || text[0] == '+') unsigned_text.remove_prefix(1);
  if (is_one_of(unsigned_text, k_not_finite)) return std::nullopt;
  const Digits digits = integer_digits(unsigned_text);
  if (digits.base != 0) {
    auto value = integer(digits, negative);
    if (value || digits.base != 10) return value;
  }
  if (is_decimal(unsigned_text)) return real(unsigned_text, negative);
  return Json(text);
}

constexpr std::size_t k_most_nodes = 200'000;
constexpr std::size_t k_most_bytes = std::size_t{64} << 20U;
constexpr std::size_t k_most_levels = 100;
constexpr std::string_view k_core_tag = "tag:yaml.org,2002:";

// The core type of a tag, "str" for "!!str"; "" for a tag that is not a core tag.
std::string_view core_type(std::string_view tag) {
  if (tag.substr(0, k_core_tag.size()) != k_core_tag) return "";
  return tag.substr(k_core_tag.size());
}

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "null") return value.is_null();
  if (type == "bool") return value.is_boolean();
  if (type == "int") return value.is_number_integer();
  return type == "float" && value.is_number();
}

// Appends without searching, while assigning by key would search all keys before it. Only for new
// keys.
void append(Json& object, std::string key, Json value) {
  using Object = Json::object_t;
  auto& entries = static_cast<Object::Container&>(object.get_ref<Object&>());
  entries.emplace_back(std::move(key), std::move(value));
}

}  // namespace

Error yaml_error(std::string_view name, TextPosition place, std::string_view what,
                 std::string hint) {
  return {Code::usage, cat(name, ':', place.line, ':', place.column, ": ", what), std::move(hint)};
}

Error YamlBuilder::error(TextPosition place, std::string_view what, std::string hint) const {
  return yaml_error(name_, place, what, std::move(hint));
}

void YamlBuilder::begin_document(TextPosition place) {
  anchors_.clear();
  documents_.push_back({place, nullptr});
}

Status YamlBuilder::null(const Node& node) {
  return finish(node.place, node.anchor, {});
}

Status YamlBuilder::scalar(const Node& node, const std::string& text) {
  Value value;
  value.weight.bytes = text.size();
  const std::string_view type = core_type(node.tag);
  if (node.tag == "!" || type == "str") {
    value.json = text;
    return finish(node.place, node.anchor, std::move(value));
  }
  if (type == "binary") {
    const auto bytes = base64_decode(text);
    if (!bytes) return error(node.place, "this is not base64", "");
    // JSON has no bytes.
    if (!is_utf8(*bytes)) return error(node.place, "these bytes are not text", "");
    value.json = *bytes;
    return finish(node.place, node.anchor, std::move(value));
  }
  auto typed = plain_scalar(text);
  if (!typed) return error(node.place, "JSON has no such number", "put it in quotes if it is text");
  if (node.tag != "?" && !is_of_type(*typed, type)) return wrong_tag(node);
  value.json = *std::move(typed);
  value.merges = node.tag == "?" && text == "<<";
  return finish(node.place, node.anchor, std::move(value));
}

// Nothing of the file is quoted: a password may begin with '!', or be taken for a number or a key.
Error YamlBuilder::wrong_tag(const Node& node) const {
  return error(node.place, "this tag is not supported here",
               node.tag.starts_with('!') ? "text that begins with ! must be in quotes" : "");
}

Status YamlBuilder::alias(const Node& node) {
  const auto found = anchors_.find(node.anchor);
  if (found == anchors_.end()) return error(node.place, "this alias is inside its own anchor");
  TRY(charge(node.place, found->second.weight));
  if (open_.empty()) return finish(node.place, 0, found->second);
  return place_in(open_.back(), node.place, found->second);
}

Status YamlBuilder::begin_collection(const Node& node, bool is_map) {
  const std::string_view type = core_type(node.tag);
  const bool untagged = node.tag == "?" || node.tag == "!" || node.tag.empty();
  if (!untagged && type != (is_map ? "map" : "seq")) {
    return wrong_tag(node);
  }
  if (open_.size() >= k_most_levels) return error(node.place, "more than 100 levels deep");
  Collection collection;
  collection.place = node.place;
  collection.anchor = node.anchor;
  collection.value.json = is_map ? Json::object() : Json::array();
  collection.value.weight.depth = 1;
  open_.push_back(std::move(collection));
  return {};
}

Status YamlBuilder::end_collection() {
  Collection done = std::move(open_.back());
  open_.pop_back();
  // Own keys take precedence over merged ones, earlier merged ones over later.
  for (Json& source : done.merged) {
    for (auto& [key, value] : source.items()) {
      if (!done.lines.emplace(key, 0).second) continue;
      append(done.value.json, key, std::move(value));
    }
  }
  return finish(done.place, done.anchor, std::move(done.value));
}

// A value is complete: keeps it for its aliases and adds it to its parent.
Status YamlBuilder::finish(TextPosition place, std::size_t anchor, Value value) {
  // The children of a collection were already counted.
  const bool leaf = !value.json.is_structured();
  TRY(charge(place, leaf ? value.weight : Weight{}));
  if (anchor != 0) {
    TRY(charge(place, value.weight));
    anchors_[anchor] = value;
  }
  if (!open_.empty()) return place_in(open_.back(), place, std::move(value));
  documents_.back().value = std::move(value.json);
  return {};
}

Status YamlBuilder::place_in(Collection& parent, TextPosition place, Value value) {
  if (parent.value.json.is_object() && !parent.has_key) return take_key(parent, place, value);
  Weight& weight = parent.value.weight;
  weight.nodes += value.weight.nodes;
  weight.bytes += value.weight.bytes;
  weight.depth = std::max(weight.depth, value.weight.depth + 1);
  if (open_.size() + value.weight.depth > k_most_levels) {
    return error(place, "more than 100 levels deep");
  }
  if (parent.value.json.is_array()) {
    parent.value.json.push_back(std::move(value.json));
    return {};
  }
  parent.has_key = false;
  // For a line without a colon, as at the end of a truncated file, the parser reports an empty
  // value at the line's own place.
  const bool no_colon = value.json.is_null() && place == parent.key_place;
  if (no_colon && parent.key.empty()) return error(place, "a bracket, [ or {, is not closed");
  if (no_colon) return error(place, "neither a key nor a value: is a colon missing?");
  if (parent.key_merges) return merge_into(parent, place, value.json);
  append(parent.value.json, std::move(parent.key), std::move(value.json));
  return {};
}

Status YamlBuilder::take_key(Collection& map, TextPosition place, const Value& key) {
  map.has_key = true;
  map.key_place = place;
  if (!key.json.is_string()) {
    refuse_key(place, key.json);
    return {};
  }
  map.key = key.json.get<std::string>();
  map.key_merges = key.merges;
  map.value.weight.bytes += map.key.size();
  // A quoted "<<" is an ordinary key and may coexist with a merge; no real key begins like this.
  const std::string known_as = key.merges ? std::string("\0<<", 3) : map.key;
  const auto [earlier, is_new] = map.lines.emplace(known_as, place.line);
  if (is_new) return {};
  return error(place, cat("duplicate key; first on line ", earlier->second));
}

void YamlBuilder::refuse_key(TextPosition place, const Json& key) {
  if (bad_key_) return;
  const bool scalar = !key.is_structured();
  bad_key_ =
      error(place, cat("a key must be text, but this one is ", scalar ? "not" : "a list or a map"),
            scalar ? "put the key in quotes" : "");
}

Status YamlBuilder::merge_into(Collection& map, TextPosition place, const Json& source) {
  const auto take = [&map](const Json& object) { map.merged.push_back(object); };
  if (source.is_object()) {
    take(source);
    return {};
  }
  const bool maps = source.is_array() &&
                    std::ranges::all_of(source, [](const Json& item) { return item.is_object(); });
  if (!maps) return error(place, "<< merges a map or a list of maps, but this is neither");
  std::ranges::for_each(source, take);
  return {};
}

Result<std::vector<YamlBuilder::Document>> YamlBuilder::take_documents() {
  if (bad_key_) return *std::move(bad_key_);
  return std::move(documents_);
}

Status YamlBuilder::charge(TextPosition place, const Weight& weight) {
  nodes_ += weight.nodes;
  bytes_ += weight.bytes;
  if (nodes_ <= k_most_nodes && bytes_ <= k_most_bytes) return {};
  return error(place, "too large: more than 200000 values or 64 MiB with its aliases expanded");
}

}  // namespace trainctl
