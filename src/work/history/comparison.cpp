// Walks both manifests side by side.
#include "work/history/comparison.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace trainctl::work {
namespace {

// The names of the runs themselves, and what the comparison shows in words of its own.
constexpr std::array<std::string_view, 4> k_not_compared = {
    "metadata.name", "metadata.generateName", "metadata.annotations.trainctl/rerun-of",
    "metadata.annotations.trainctl/code"};

bool is_plain_list(const Json& value) {
  return value.is_array() &&
         std::ranges::none_of(value, [](const Json& element) { return element.is_structured(); });
}

// The name of an element of a list; "" = it has none.
std::string_view name_in(const Json& element) {
  return view_at(element, "/name");
}

bool has_names(const Json& list) {
  return std::ranges::all_of(list, [](const Json& element) { return !name_in(element).empty(); });
}

// A variable of a container, with its value.
bool is_named_value(const Json& element) {
  return element.is_object() && element.size() == 2 && !name_in(element).empty() &&
         element.contains("value");
}

// The value of a named value; null stays null.
Json value_in(const Json& element) {
  return element.is_null() ? Json() : element["value"];
}

class ManifestComparison {
 public:
  void compare(const std::string& path, const Json& a, const Json& b) {
    if (a == b || is_left_out(path)) return;
    if (a.is_object() && b.is_object()) return objects(path, a, b);
    const bool are_lists = a.is_array() && b.is_array();
    if (are_lists && !is_plain_list(a) && !is_plain_list(b)) return lists(path, a, b);
    const bool one_is_missing = a.is_null() || b.is_null();
    if (one_is_missing && is_named_value(a.is_null() ? b : a)) {
      return found_.push_back({path + ".value", value_in(a), value_in(b)});
    }
    found_.push_back({path, a, b});
  }

  std::vector<Difference> found() && { return std::move(found_); }

 private:
  static bool is_left_out(std::string_view path) {
    return std::ranges::find(k_not_compared, path) != k_not_compared.end();
  }

  static const Json& in(const Json& object, const std::string& key) {
    static const Json none;
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
  }

  void objects(const std::string& path, const Json& a, const Json& b) {
    const std::string prefix = path.empty() ? "" : path + '.';
    for (const auto& [key, value] : a.items()) compare(prefix + key, value, in(b, key));
    for (const auto& [key, value] : b.items()) {
      if (!a.contains(key)) compare(prefix + key, Json(), value);
    }
  }

  static const Json& named(const Json& list, std::string_view name) {
    static const Json none;
    const auto found = std::ranges::find_if(
        list, [name](const Json& element) { return name_in(element) == name; });
    return found == list.end() ? none : *found;
  }

  void lists(const std::string& path, const Json& a, const Json& b) {
    if (!has_names(a) || !has_names(b)) return lists_in_order(path, a, b);
    for (const Json& element : a) {
      const std::string name(name_in(element));
      compare(cat(path, '[', name, ']'), element, named(b, name));
    }
    for (const Json& element : b) {
      const std::string name(name_in(element));
      if (named(a, name).is_null()) compare(cat(path, '[', name, ']'), Json(), element);
    }
  }

  void lists_in_order(const std::string& path, const Json& a, const Json& b) {
    for (std::size_t at = 0; at < std::max(a.size(), b.size()); ++at) {
      const Json none;
      compare(cat(path, '[', at, ']'), at < a.size() ? a[at] : none, at < b.size() ? b[at] : none);
    }
  }

  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> differences(const Json& a, const Json& b) {
  ManifestComparison comparison;
  comparison.compare("", a, b);
  return std::move(comparison).found();
}

std::string value_words(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!is_plain_list(value)) return dump(value);
  std::vector<std::string> words;
  for (const Json& word : value) {
    words.push_back(word.is_string() ? shell_quoted(word.get_ref<const std::string&>())
                                     : dump(word));
  }
  return join(words, " ");
}

}  // namespace trainctl::work
