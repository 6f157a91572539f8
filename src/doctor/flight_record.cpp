// Groups have the same name and number their collectives alike in all ranks, so numbers compare.
#include "doctor/flight_record.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/text.h"

namespace trainctl::job {
namespace {

constexpr std::size_t k_most_groups = 1000;
constexpr std::size_t k_most_calls = 400'000;  // of all dumps
constexpr std::size_t k_most_calls_of_one = 20'000, k_least_calls_of_one = 100;
constexpr std::size_t k_longest_recorded = 80;
constexpr std::string_view k_completed = "completed";

std::string short_text(const PickleValue* value) {
  return value == nullptr ? "" : printable_line(value->text.substr(0, k_longest_recorded));
}

std::int64_t number_of(const PickleValue* value) {
  return value == nullptr ? 0 : value->number;
}

std::string rank_names(const std::vector<int>& ranks) {
  std::vector<std::string> names;
  for (const int rank : ranks) names.push_back(cat("rank ", rank));
  return some_of(names);
}

// Compares what the ranks did in one group.
class GroupComparison {
 public:
  GroupComparison(const std::string& name, const FlightRecords::Group& group,
                  const std::set<int>& read) {
    for (const auto& [rank, calls] : group.calls) calls_[rank] = calls;
    for (const int rank : group.members) {
      if (read.contains(rank)) calls_.try_emplace(rank);
    }
    at_ = first_open();
    const std::string& what = group.description;
    where_ = cat(" #", at_, " of process group ", name, what.empty() ? "" : cat(" (", what, ")"));
  }

  RecordVerdict verdict() const {
    std::vector<int> absent;
    std::map<std::string, std::vector<int>> by_words;  // "started all_reduce"
    const RecordedCall* first = nullptr;
    for (const auto& [rank, calls] : calls_) {
      const auto call = std::ranges::find(calls, at_, &RecordedCall::sequence);
      if (last_of(calls) < at_) absent.push_back(rank);
      if (call == calls.end()) continue;
      first = first == nullptr ? &*call : first;
      by_words[cat(call->state, " ", call->name)].push_back(rank);
    }
    if (first == nullptr) return {};
    if (!absent.empty()) {
      return {cat(rank_names(absent), " never joined ", first->name, where_), first->created_ns,
              true};
    }
    const auto size = [](const auto& words) { return words.second.size(); };
    const auto fewest = std::ranges::min_element(by_words, {}, size);
    const std::string words = fewest->first;
    const std::vector<int> ranks = fewest->second;
    const std::string have = ranks.size() == 1 ? " has " : " have ";
    if (by_words.size() == 1) {
      const std::string who =
          ranks.size() == 1 ? rank_names(ranks) : cat("all ", ranks.size(), " ranks");
      return {cat(who, have, words, where_), first->created_ns, false};
    }
    by_words.erase(fewest);
    return {cat(rank_names(ranks), have, words, where_, ", others have ",
                std::ranges::max_element(by_words, {}, size)->first),
            first->created_ns, true};
  }

 private:
  using Calls = std::span<const RecordedCall>;

  static std::int64_t last_of(Calls calls) { return calls.empty() ? 0 : calls.back().sequence; }

  // The first call that some rank has not made or not completed, else the last one.
  std::int64_t first_open() const {
    std::int64_t least = 0, most = 0;
    for (const auto& [rank, calls] : calls_) {
      least = rank == calls_.begin()->first ? last_of(calls) : std::min(least, last_of(calls));
      most = std::max(most, last_of(calls));
    }
    std::int64_t first = std::min(least + 1, most);
    for (const auto& [rank, calls] : calls_) {
      const auto open = std::ranges::find_if(
          calls, [](const RecordedCall& call) { return call.state != k_completed; });
      if (open != calls.end()) first = std::min(first, open->sequence);
    }
    return first;
  }

  std::map<int, Calls> calls_;
  std::int64_t at_ = 0;
  std::string where_;
};

}  // namespace

FlightRecords::Group* FlightRecords::group_of(const std::string& name) {
  if (groups_.size() >= k_most_groups && !groups_.contains(name)) return nullptr;
  return &groups_[name];
}

// {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}
void FlightRecords::take_groups(const Pickle& pickle) {
  const PickleValue* groups = pickle.find(pickle.values[pickle.root], "pg_config");
  if (groups == nullptr || groups->kind != PickleValue::Kind::dict) return;
  for (std::size_t at = 0; at < std::min(groups->parts.size(), 2 * k_most_groups); at += 2) {
    const PickleValue& one = pickle.values[groups->parts[at + 1]];
    Group* group = group_of(short_text(&pickle.values[groups->parts[at]]));
    if (group == nullptr) continue;
    if (group->description.empty()) group->description = short_text(pickle.find(one, "desc"));
    if (const PickleValue* ranks = pickle.find(one, "ranks")) take_members(*group, ranks->text);
  }
}

// "[0, 1, 2]". The ranks of a group write the same, which is read once.
void FlightRecords::take_members(Group& group, std::string_view text) {
  text = text.substr(0, members_room_);
  if (text.empty() || text == group.members_text) return;
  members_room_ -= text.size();
  group.members_text = text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_of("0123456789", at);
    if (begin == std::string_view::npos) return;
    at = std::min(text.find_first_not_of("0123456789", begin), text.size());
    const auto rank = parse_number<int>(text.substr(begin, at - begin));
    if (rank && ranks_.contains(*rank)) group.members.insert(*rank);
  }
}

void FlightRecords::take_call(const Pickle& pickle, const PickleValue& entry, Calls& calls) {
  const std::int64_t sequence = number_of(pickle.find(entry, "collective_seq_id"));
  if (sequence <= 0 || number_of(pickle.find(entry, "is_p2p")) != 0) return;
  // ("0", "default_pg")
  const PickleValue* names = pickle.find(entry, "process_group");
  const bool has_name =
      names != nullptr && names->kind == PickleValue::Kind::list && names->parts.size() == 2;
  const std::string name = has_name ? short_text(&pickle.values[names->parts[0]]) : "?";
  Group* group = group_of(name);
  if (group == nullptr) return;
  std::string state = short_text(pickle.find(entry, "state"));
  if (number_of(pickle.find(entry, "retired")) != 0) state = k_completed;
  const std::string full_name = short_text(pickle.find(entry, "profiling_name"));
  if (has_name && group->description.empty()) {
    group->description = short_text(&pickle.values[names->parts[1]]);
  }
  calls[name].push_back({sequence, std::string(behind(full_name, ":")), std::move(state),
                         number_of(pickle.find(entry, "time_created_ns"))});
}

Status FlightRecords::add(int rank, std::string_view dump) {
  TRY_ASSIGN(const Pickle pickle, read_pickle(dump));
  const PickleValue* entries = pickle.find(pickle.values[pickle.root], "entries");
  if (entries == nullptr || entries->kind != PickleValue::Kind::list) {
    return Error{Code::error, "it has no list of entries", ""};
  }
  if (!ranks_.contains(rank) || !read_.insert(rank).second) return {};
  take_groups(pickle);
  const std::size_t most =
      std::clamp(k_most_calls / ranks_.size(), k_least_calls_of_one, k_most_calls_of_one);
  const std::size_t count = entries->parts.size();
  Calls taken;
  for (std::size_t at = count - std::min(count, most); at < count; ++at) {
    take_call(pickle, pickle.values[entries->parts[at]], taken);
  }
  for (auto& [name, calls] : taken) {
    std::ranges::stable_sort(calls, {}, &RecordedCall::sequence);
    const auto is_same = [](const RecordedCall& one, const RecordedCall& next) {
      return one.sequence == next.sequence;
    };
    calls.erase(std::unique(calls.begin(), calls.end(), is_same), calls.end());
    groups_[name].calls[rank] = std::move(calls);
  }
  return {};
}

RecordVerdict FlightRecords::verdict() const {
  RecordVerdict best;
  for (const auto& [name, group] : groups_) {
    RecordVerdict one = GroupComparison(name, group, read_).verdict();
    if (one.sentence.empty()) continue;
    const bool is_better = one.is_difference != best.is_difference ? one.is_difference
                           : one.is_difference ? one.created_ns < best.created_ns
                                               : one.created_ns > best.created_ns;
    if (best.sentence.empty() || is_better) best = std::move(one);
  }
  return best;
}

}  // namespace trainctl::job
