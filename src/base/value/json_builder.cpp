// Makes each object and array when it ends; repeated names of members are resolved then.
#include "base/value/json_builder.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace trainctl {

namespace {

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

}  // namespace

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

}  // namespace trainctl
