// Follows a table of the fields' numbers (generated.proto of k8s.io/api and apimachinery).
#include "local/api/protobuf.h"

#include <cstdint>
#include <string>

#include "base/text/text.h"
#include "base/value/base64.h"

namespace trainctl::local {
namespace {

enum class Holds { text, truth, message, texts, messages, text_map, bytes_map, ignored };

struct FieldRow {
  std::string_view message;
  std::uint64_t number;
  std::string_view name;
  Holds holds = Holds::text;
  std::string_view of = "";  // of Holds::message and Holds::messages
};

// A status is not the client's to write.
constexpr FieldRow k_protobuf_fields[] = {
    {"TypeMeta", 1, "apiVersion"},
    {"TypeMeta", 2, "kind"},
    {"ObjectMeta", 1, "name"},
    {"ObjectMeta", 2, "generateName"},
    {"ObjectMeta", 3, "namespace"},
    {"ObjectMeta", 5, "uid"},
    {"ObjectMeta", 6, "resourceVersion"},
    {"ObjectMeta", 11, "labels", Holds::text_map},
    {"ObjectMeta", 12, "annotations", Holds::text_map},
    {"ObjectMeta", 13, "ownerReferences", Holds::messages, "OwnerReference"},
    {"ObjectMeta", 14, "finalizers", Holds::texts},
    {"OwnerReference", 1, "kind"},
    {"OwnerReference", 3, "name"},
    {"OwnerReference", 4, "uid"},
    {"OwnerReference", 5, "apiVersion"},
    {"OwnerReference", 6, "controller", Holds::truth},
    {"OwnerReference", 7, "blockOwnerDeletion", Holds::truth},
    {"ConfigMap", 1, "metadata", Holds::message, "ObjectMeta"},
    {"ConfigMap", 2, "data", Holds::text_map},
    {"ConfigMap", 3, "binaryData", Holds::bytes_map},
    {"ConfigMap", 4, "immutable", Holds::truth},
    {"Secret", 1, "metadata", Holds::message, "ObjectMeta"},
    {"Secret", 2, "data", Holds::bytes_map},
    {"Secret", 3, "type"},
    {"Secret", 4, "stringData", Holds::text_map},
    {"Secret", 5, "immutable", Holds::truth},
    {"Namespace", 1, "metadata", Holds::message, "ObjectMeta"},
    {"Namespace", 2, "spec", Holds::message, "NamespaceSpec"},
    {"Namespace", 3, "status", Holds::ignored},
    {"NamespaceSpec", 1, "finalizers", Holds::texts},
    {"ServiceAccount", 1, "metadata", Holds::message, "ObjectMeta"},
    {"SelfSubjectReview", 1, "metadata", Holds::message, "ObjectMeta"},
    {"SelfSubjectReview", 2, "status", Holds::ignored},
    {"SelfSubjectAccessReview", 1, "metadata", Holds::message, "ObjectMeta"},
    {"SelfSubjectAccessReview", 2, "spec", Holds::message, "AccessReviewSpec"},
    {"SelfSubjectAccessReview", 3, "status", Holds::ignored},
    {"AccessReviewSpec", 1, "resourceAttributes", Holds::message, "ResourceAttributes"},
    {"AccessReviewSpec", 2, "nonResourceAttributes", Holds::message, "NonResourceAttributes"},
    {"ResourceAttributes", 1, "namespace"},
    {"ResourceAttributes", 2, "verb"},
    {"ResourceAttributes", 3, "group"},
    {"ResourceAttributes", 4, "version"},
    {"ResourceAttributes", 5, "resource"},
    {"ResourceAttributes", 6, "subresource"},
    {"ResourceAttributes", 7, "name"},
    {"NonResourceAttributes", 1, "path"},
    {"NonResourceAttributes", 2, "verb"},
    {"SelfSubjectRulesReview", 1, "metadata", Holds::message, "ObjectMeta"},
    {"SelfSubjectRulesReview", 2, "spec", Holds::message, "RulesReviewSpec"},
    {"SelfSubjectRulesReview", 3, "status", Holds::ignored},
    {"RulesReviewSpec", 1, "namespace"},
};

const FieldRow* row_at(std::string_view message, std::uint64_t number) {
  for (const FieldRow& row : k_protobuf_fields) {
    if (row.message == message && row.number == number) return &row;
  }
  return nullptr;
}

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

struct WireField {
  std::uint64_t number = 0;
  bool is_bytes = false;
  std::uint64_t varint = 0;
  std::string_view bytes = {};

  bool is_zero() const { return is_bytes ? bytes.empty() : varint == 0; }
};

// nullopt for broken bytes, and for the wire types that none of these kinds has.
std::optional<WireField> take_field(std::string_view& from) {
  constexpr std::uint64_t k_varint = 0;
  constexpr std::uint64_t k_length_delimited = 2;
  const auto tag = take_varint(from);
  if (!tag) return std::nullopt;
  const auto value = take_varint(from);
  if (!value) return std::nullopt;
  WireField field{*tag >> 3U};
  if ((*tag & 7U) == k_varint) {
    field.varint = *value;
    return field;
  }
  if ((*tag & 7U) != k_length_delimited || *value > from.size()) return std::nullopt;
  field.is_bytes = true;
  field.bytes = from.substr(0, *value);
  from.remove_prefix(*value);
  return field;
}

bool add_entry(Json& map, std::string_view entry, bool is_bytes) {
  std::string_view key, value;
  while (!entry.empty()) {
    const auto field = take_field(entry);
    if (!field || !field->is_bytes) return false;
    (field->number == 1 ? key : value) = field->bytes;
  }
  if (!is_utf8(key) || (!is_bytes && !is_utf8(value))) return false;
  map[std::string(key)] = is_bytes ? base64_encode(value) : std::string(value);
  return true;
}

std::optional<Json> read_fields(std::string_view message, std::string_view bytes);

bool add_field(Json& object, const FieldRow& row, const WireField& field) {
  if (row.holds == Holds::ignored) return true;
  if (field.is_bytes == (row.holds == Holds::truth)) return false;
  const bool is_text = row.holds == Holds::text || row.holds == Holds::texts;
  if (is_text && !is_utf8(field.bytes)) return false;
  Json& place = object[std::string(row.name)];
  switch (row.holds) {
    case Holds::text:
      place = field.bytes;
      return true;
    case Holds::truth:
      place = field.varint != 0;
      return true;
    case Holds::texts:
      place.push_back(field.bytes);
      return true;
    case Holds::text_map:
      return add_entry(place, field.bytes, false);
    case Holds::bytes_map:
      return add_entry(place, field.bytes, true);
    default:
      break;
  }
  auto below = read_fields(row.of, field.bytes);
  if (!below) return false;
  if (row.holds == Holds::messages) {
    place.push_back(*std::move(below));
  } else {
    place = *std::move(below);
  }
  return true;
}

// Go writes strings and numbers that are not set, too: these stand for nothing.
std::optional<Json> read_fields(std::string_view message, std::string_view bytes) {
  Json object = Json::object();
  while (!bytes.empty()) {
    const auto field = take_field(bytes);
    if (!field) return std::nullopt;
    const FieldRow* row = row_at(message, field->number);
    const bool is_flag = row != nullptr && row->holds == Holds::truth;
    if (field->is_zero() && !is_flag) continue;
    if (row == nullptr || !add_field(object, *row, *field)) return std::nullopt;
  }
  return object;
}

}  // namespace

std::optional<Json> from_protobuf(std::string_view body) {
  constexpr std::string_view k_magic("k8s\0", 4);
  constexpr std::uint64_t k_raw = 2;  // of runtime.Unknown
  if (!body.starts_with(k_magic)) return std::nullopt;
  body.remove_prefix(k_magic.size());
  std::string_view type, raw;
  while (!body.empty()) {
    const auto field = take_field(body);
    if (!field) return std::nullopt;
    if (field->number == 1) type = field->bytes;
    if (field->number == k_raw) raw = field->bytes;
  }
  const auto head = read_fields("TypeMeta", type);
  if (!head || row_at(text_at(*head, "/kind"), 1) == nullptr) return std::nullopt;
  auto object = read_fields(text_at(*head, "/kind"), raw);
  if (!object) return std::nullopt;
  object->update(*head);
  return object;
}

}  // namespace trainctl::local
