// Parses and prints JSON, and looks up pointers without throwing.
#include "base/value/json.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text/text.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class std::vector<nlohmann::ordered_json>;

namespace trainctl {
namespace {

// Builds a JSON value from a parser's events, in time linear in the size of the text. Handles the
// events (nlohmann's SAX interface defines the names). Members and items wait on a stack until
// their object or array ends, which is then made with the room that it needs: the library's own
// builders grow each one in place, which leaves a third of the memory unused, and search an object
// again for each member.
class JsonBuilder {
 public:
  enum class Trouble { none, not_json, number_too_large, too_many_values };

  explicit JsonBuilder(const std::optional<MemberOf>& left_out) : left_out_(left_out) {}

  // The finished value, once all events were handled without trouble.
  Json take() { return std::move(waiting_.front().second); }
  Trouble trouble() const { return trouble_; }
  std::size_t trouble_at() const { return trouble_at_; }  // offset in the text

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value);
  bool binary(Json::binary_t&) { return false; }  // JSON has no binary values
  bool start_object(std::size_t);
  bool start_array(std::size_t) { return open(false); }
  bool end_object();
  bool end_array();
  bool key(std::string& name);
  bool parse_error(std::size_t at, const std::string& token, const Json::exception& error);

 private:
  // An object or array whose members or items are being read.
  struct Open {
    std::string key;    // its own, when it is a member
    std::size_t first;  // where its members or items begin among those that wait
    bool is_parent;     // it is the parent of the omitted member
  };
  using Waiting = std::pair<std::string, Json>;  // the key is empty for an item

  bool add(Json value);
  bool open(bool is_parent);
  bool close(Json value);
  bool count();
  bool skips() const { return skipped_depth_ > 0 || skips_next_; }

  std::optional<MemberOf> left_out_;
  std::vector<Waiting> waiting_;
  std::vector<Open> open_;
  std::string key_;
  bool skips_next_ = false;        // the next value is omitted
  std::size_t skipped_depth_ = 0;  // open objects and arrays inside an omitted value
  std::size_t values_ = 0;
  Trouble trouble_ = Trouble::none;
  std::size_t trouble_at_ = 0;
};

// Parsed, a text like "{},{},{}" takes twenty times its size. A page of 500 pods has a few hundred
// thousand values.
constexpr std::size_t k_most_values = std::size_t{4} << 20;
constexpr int k_out_of_range = 406;  // the library's error for a number outside the range of double

using Members = Json::object_t;

bool repeats_few(const Members& members) {
  for (auto one = members.begin(); one != members.end(); ++one) {
    const auto same = [&](const auto& other) { return other.first == one->first; };
    if (std::any_of(members.begin(), one, same)) return true;
  }
  return false;
}

bool repeats_a_name(const Members& members) {
  constexpr std::size_t k_few_members = 12;
  if (members.size() <= k_few_members) return repeats_few(members);
  std::vector<std::string_view> names;
  names.reserve(members.size());
  for (const auto& member : members) names.emplace_back(member.first);
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) != names.end();
}

// Keeps each name at its first position, with its last value.
Members last_of_each(Members members) {
  std::unordered_map<std::string_view, std::size_t> places;
  Members kept;
  kept.reserve(members.size());  // `places` refers to the names, which must not move
  for (auto& [name, value] : members) {
    const auto found = places.find(name);
    if (found != places.end()) {
      (kept.begin() + static_cast<std::ptrdiff_t>(found->second))->second = std::move(value);
      continue;
    }
    kept.emplace_back(name, std::move(value));
    places.emplace(kept.back().first, kept.size() - 1);
  }
  return kept;
}

bool JsonBuilder::key(std::string& name) {
  if (skipped_depth_ > 0) return true;
  skips_next_ = open_.back().is_parent && name == left_out_->name;
  key_ = name;  // a copy has no unused room; the parser's buffer has
  return true;
}

bool JsonBuilder::string(std::string& value) {
  if (skips()) return add(nullptr);
  return add(Json(std::string_view(value)));
}

bool JsonBuilder::add(Json value) {
  if (skipped_depth_ > 0 || std::exchange(skips_next_, false)) return true;
  if (!count()) return false;
  waiting_.emplace_back(std::exchange(key_, {}), std::move(value));
  return true;
}

bool JsonBuilder::start_object(std::size_t) {
  return open(left_out_ && key_ == left_out_->parent);
}

bool JsonBuilder::open(bool is_parent) {
  if (skips()) {
    skips_next_ = false;
    ++skipped_depth_;
    return true;
  }
  if (!count()) return false;
  open_.push_back({std::exchange(key_, {}), waiting_.size(), is_parent});
  return true;
}

bool JsonBuilder::end_object() {
  if (skips()) return close(nullptr);
  Members members;
  const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>(open_.back().first);
  members.reserve(static_cast<std::size_t>(waiting_.end() - first));
  for (auto one = first; one != waiting_.end(); ++one) {
    members.emplace_back(std::move(one->first), std::move(one->second));
  }
  if (repeats_a_name(members)) members = last_of_each(std::move(members));
  return close(std::move(members));
}

bool JsonBuilder::end_array() {
  if (skips()) return close(nullptr);
  Json::array_t items;
  const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>(open_.back().first);
  items.reserve(static_cast<std::size_t>(waiting_.end() - first));
  for (auto one = first; one != waiting_.end(); ++one) items.push_back(std::move(one->second));
  return close(std::move(items));
}

// Puts the object or array that ends in the place of its members or items.
bool JsonBuilder::close(Json value) {
  if (skipped_depth_ > 0) {
    --skipped_depth_;
    return true;
  }
  waiting_.resize(open_.back().first);
  waiting_.emplace_back(std::move(open_.back().key), std::move(value));
  open_.pop_back();
  return true;
}

bool JsonBuilder::count() {
  if (++values_ <= k_most_values) return true;
  trouble_ = Trouble::too_many_values;
  return false;
}

bool JsonBuilder::parse_error(std::size_t at, const std::string&, const Json::exception& error) {
  trouble_ = error.id == k_out_of_range ? Trouble::number_too_large : Trouble::not_json;
  trouble_at_ = at;
  return false;
}

// Far above any API object. Copying and printing recurse, so the depth must be limited.
constexpr int k_deepest = 500;

bool too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > k_deepest) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

std::string place_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return cat("line ", line, ", column ", std::max<std::size_t>(1, before.size() - line_start));
}

// Removes "/step" from the front of a pointer and returns it unescaped.
std::string take_step(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const auto end = std::min(pointer.find('/'), pointer.size());
  std::string step = key_of_step(pointer.substr(0, end));
  pointer.remove_prefix(end);
  return step;
}

std::optional<std::size_t> array_index(std::string_view step) {
  const bool digits = !step.empty() && step.size() <= 9 &&
                      step.find_first_not_of("0123456789") == std::string_view::npos;
  if (!digits || (step.size() > 1 && step[0] == '0')) return std::nullopt;
  return std::stoul(std::string(step));
}

const Json* child(const Json& value, const std::string& step) {
  if (value.is_object()) {
    const auto found = value.find(step);
    return found == value.end() ? nullptr : &*found;
  }
  if (!value.is_array()) return nullptr;
  const auto index = array_index(step);
  return index && *index < value.size() ? &value[*index] : nullptr;
}

// The child that a step names, created when it is missing.
Json& made_child(Json& value, const std::string& step) {
  const auto index = array_index(step);
  if (value.is_array() && (index || step == "-")) {
    if (index && *index < value.size()) return value[*index];
    value.push_back(nullptr);
    return value.back();
  }
  if (!value.is_object()) value = Json::object();
  return value[step];
}

Error unreadable(const JsonBuilder& builder, std::string_view text, std::string_view what) {
  switch (builder.trouble()) {
    case JsonBuilder::Trouble::number_too_large:
      return Error{Code::error, cat(what, " holds a number that is too large"), ""};
    case JsonBuilder::Trouble::too_many_values:
      return Error{Code::error, cat(what, " holds more values than trainctl reads"), ""};
    default:
      break;
  }
  if (trim(text).empty()) return Error{Code::error, cat(what, " is empty, not JSON"), ""};
  const std::string place = place_of(text, builder.trouble_at());
  return Error{Code::error, cat(what, " is not JSON (", place, ")"), ""};
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view what,
                        const std::optional<MemberOf>& left_out) {
  if (too_deep(text)) return Error{Code::error, cat(what, " is nested too deep for JSON"), ""};
  JsonBuilder builder(left_out);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) return unreadable(builder, text, what);
  return builder.take();
}

std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

const Json* find(const Json& value, std::string_view pointer) {
  const Json* here = &value;
  if (!pointer.empty() && pointer[0] != '/') return nullptr;
  while (here != nullptr && !pointer.empty()) here = child(*here, take_step(pointer));
  return here;
}

std::string text_at(const Json& value, std::string_view pointer, std::string_view fallback) {
  const Json* found = find(value, pointer);
  if (found == nullptr || !found->is_string()) return std::string(fallback);
  return found->get_ref<const std::string&>();
}

std::string_view view_at(const Json& value, std::string_view pointer) {
  const Json* found = find(value, pointer);
  if (found == nullptr || !found->is_string()) return "";
  return found->get_ref<const std::string&>();
}

std::optional<std::int64_t> int_at(const Json& value, std::string_view pointer) {
  const Json* found = find(value, pointer);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  constexpr std::uint64_t k_largest = std::numeric_limits<std::int64_t>::max();
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > k_largest) return std::nullopt;
  return found->get<std::int64_t>();
}

bool true_at(const Json& value, std::string_view pointer) {
  const Json* found = find(value, pointer);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

const Json& array_at(const Json& value, std::string_view pointer) {
  static const Json k_none = Json::array();
  const Json* found = find(value, pointer);
  return found != nullptr && found->is_array() ? *found : k_none;
}

const Json& object_at(const Json& value, std::string_view pointer) {
  static const Json k_none = Json::object();
  const Json* found = find(value, pointer);
  return found != nullptr && found->is_object() ? *found : k_none;
}

std::string pointer_step(std::string_view key) {
  std::string step;
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

std::string key_of_step(std::string_view step) {
  std::string key;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool escape = step[i] == '~' && i + 1 < step.size();
    if (escape && (step[i + 1] == '0' || step[i + 1] == '1')) {
      key += step[++i] == '0' ? '~' : '/';
    } else {
      key += step[i];
    }
  }
  return key;
}

void set_at(Json& value, std::string_view pointer, Json leaf) {
  if (!pointer.empty() && pointer[0] != '/') return;
  Json* here = &value;
  while (!pointer.empty()) here = &made_child(*here, take_step(pointer));
  *here = std::move(leaf);
}

}  // namespace trainctl
