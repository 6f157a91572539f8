// Appends members without searching; repeated names are resolved when the object ends.
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
  key_ = std::move(name);
  return true;
}

bool JsonBuilder::add(Json value) {
  if (skipped_depth_ > 0 || std::exchange(skips_next_, false)) return true;
  return place(std::move(value)) != nullptr;
}

bool JsonBuilder::open(Json value) {
  if (skips()) {
    skips_next_ = false;
    ++skipped_depth_;
    return true;
  }
  const bool in_object = !open_.empty() && open_.back().value->is_object();
  const bool is_parent = left_out_ && in_object && value.is_object() && key_ == left_out_->parent;
  Json* const placed = place(std::move(value));
  if (placed == nullptr) return false;
  open_.push_back({placed, is_parent});
  return true;
}

bool JsonBuilder::close() {
  if (skipped_depth_ > 0) {
    --skipped_depth_;
  } else {
    open_.pop_back();
  }
  return true;
}

bool JsonBuilder::end_object() {
  if (skipped_depth_ == 0) {
    auto& members = open_.back().value->get_ref<Members&>();
    if (repeats_a_name(members)) members = last_of_each(std::move(members));
  }
  return close();
}

Json* JsonBuilder::place(Json value) {
  if (++values_ > k_most_values) {
    trouble_ = Trouble::too_many_values;
    return nullptr;
  }
  if (open_.empty()) {
    root_ = std::move(value);
    return &root_;
  }
  Json& parent = *open_.back().value;
  if (parent.is_array()) {
    auto& items = parent.get_ref<Json::array_t&>();
    items.push_back(std::move(value));
    return &items.back();
  }
  auto& members = parent.get_ref<Members&>();
  members.emplace_back(std::move(key_), std::move(value));
  return &members.back().second;
}

bool JsonBuilder::parse_error(std::size_t at, const std::string&, const Json::exception& error) {
  trouble_ = error.id == k_out_of_range ? Trouble::number_too_large : Trouble::not_json;
  trouble_at_ = at;
  return false;
}

}  // namespace trainctl
