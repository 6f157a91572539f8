// Finds worlds by their name, and the objects that they refer to.
#include "cases/worlds.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text/text.h"
#include "base/value/yaml.h"

namespace trainctl::testing {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<NamedObjects> read_objects() {
  NamedObjects objects;
  for (const auto& entry : fs::directory_iterator(fs::path(TRAINCTL_CASES) / "objects")) {
    TRY(objects.add(content_of(entry.path()), entry.path().string()));
  }
  return objects;
}

// Of worlds within worlds; a circle is deeper.
constexpr int k_depth = 10;

std::string with_number(std::string text, std::string_view mark, const std::string& number) {
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), number);
  }
  return text;
}

// As often as `times` says, with its number (from `first` or 1 on) for {n}, in two digits for {nn}.
Json repeated(const Json& element) {
  Json once = element;
  once.erase("times");
  once.erase("first");
  const auto first = int_at(element, "/first").value_or(1);
  const std::string text = dump(once.contains("each") ? once.at("each") : Json::array({once}));
  Json all = Json::array();
  for (auto n = first; n < first + int_at(element, "/times").value_or(0); ++n) {
    const std::string two_digits = cat(n < 10 ? "0" : "", n);
    const std::string numbered = with_number(with_number(text, "{nn}", two_digits), "{n}", cat(n));
    const Json some = *parse_json(numbered, "");
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

Json with_repeated(const Json& value) {
  if (!value.is_structured()) return value;
  Json all = value.is_array() ? Json::array() : Json::object();
  for (const auto& [key, member] : value.items()) {
    const Json inner = with_repeated(member);
    if (value.is_object()) {
      all[key] = inner;
    } else if (inner.is_object() && inner.contains("times")) {
      const Json some = repeated(inner);
      all.insert(all.end(), some.begin(), some.end());
    } else {
      all.push_back(inner);
    }
  }
  return all;
}

namespace {

// The exchanges, with those of a world in the place of `world: NAME`.
Result<Json> expanded(std::string_view yaml, std::string_view name, int depth) {
  TRY_ASSIGN(const Json written, from_yaml(yaml, name));
  const Json list = with_repeated(written);
  if (depth > k_depth) return Error{Code::usage, cat(name, ": a world contains itself"), ""};
  if (!list.is_array()) return list;
  Json all = Json::array();
  for (const Json& item : list) {
    const std::string world = text_at(item, "/world");
    if (world.empty()) {
      all.push_back(item);
      continue;
    }
    const fs::path path = fs::path(TRAINCTL_CASES) / "worlds" / cat(world, ".yaml");
    if (!fs::exists(path)) return Error{Code::usage, cat("there is no world called ", world), ""};
    TRY_ASSIGN(const Json exchanges, expanded(content_of(path), path.string(), depth + 1));
    all.insert(all.end(), exchanges.begin(), exchanges.end());
  }
  return all;
}

}  // namespace

const Result<NamedObjects>& shared_objects() {
  static const Result<NamedObjects> objects = read_objects();
  return objects;
}

Result<std::vector<Exchange>> read_server(std::string_view yaml, std::string_view name) {
  const Result<NamedObjects>& objects = shared_objects();
  if (!objects) return objects.error();
  TRY_ASSIGN(const Json list, expanded(yaml, name, 0));
  return read_exchanges(list, name, *objects);
}

Result<std::vector<Exchange>> read_world(const std::string& name) {
  return read_server(cat("- world: ", name), name);
}

}  // namespace trainctl::testing
