// Groups have the same name and number their collectives alike in all ranks, so numbers compare.
#include "job/stacks/flight_record.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "job/stacks/pickle.h"

namespace trainctl::job {
namespace {

constexpr std::size_t k_most_entries = 20'000;
constexpr std::size_t k_most_groups = 1000;
constexpr std::size_t k_longest_recorded = 80;
constexpr std::size_t k_longest_ranks = std::size_t{1} << 20;  // of all groups
constexpr std::string_view k_completed = "completed";

std::string short_text(const PickleValue* value) {
  return value == nullptr ? "" : printable_line(value->text.substr(0, k_longest_recorded));
}

std::int64_t number_of(const PickleValue* value) {
  return value == nullptr ? 0 : value->number;
}

// "[0, 1, 2]". Many groups may refer to one text, so they share the room.
std::set<int> ranks_in(const PickleValue* value, std::size_t& room) {
  std::set<int> ranks;
  const std::string_view text = value == nullptr ? "" : value->text.substr(0, room);
  room -= text.size();
  for (const std::string& word : split(text, ',')) {
    const std::size_t begin = word.find_first_of("0123456789");
    if (begin == std::string::npos) continue;
    const std::size_t end = word.find_first_not_of("0123456789", begin);
    if (const auto rank = parse_number<int>(word.substr(begin, end - begin))) ranks.insert(*rank);
  }
  return ranks;
}

// {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}
void take_groups(const Pickle& pickle, FlightRecord& record) {
  const PickleValue* groups = pickle.find(pickle.values[pickle.root], "pg_config");
  if (groups == nullptr || groups->kind != PickleValue::Kind::dict) return;
  std::size_t room = k_longest_ranks;
  for (std::size_t at = 0; at < std::min(groups->parts.size(), 2 * k_most_groups); at += 2) {
    const PickleValue& one = pickle.values[groups->parts[at + 1]];
    RecordedGroup& group = record.groups[short_text(&pickle.values[groups->parts[at]])];
    group.description = short_text(pickle.find(one, "desc"));
    group.ranks = ranks_in(pickle.find(one, "ranks"), room);
  }
}

void take_call(const Pickle& pickle, const PickleValue& entry, FlightRecord& record) {
  const std::int64_t sequence = number_of(pickle.find(entry, "collective_seq_id"));
  if (sequence <= 0 || number_of(pickle.find(entry, "is_p2p")) != 0) return;
  // ("0", "default_pg")
  const PickleValue* names = pickle.find(entry, "process_group");
  const bool has_name =
      names != nullptr && names->kind == PickleValue::Kind::list && names->parts.size() == 2;
  const std::string name = has_name ? short_text(&pickle.values[names->parts[0]]) : "?";
  if (record.groups.size() >= k_most_groups && !record.groups.contains(name)) return;
  std::string state = short_text(pickle.find(entry, "state"));
  if (number_of(pickle.find(entry, "retired")) != 0) state = k_completed;
  const std::string full_name = short_text(pickle.find(entry, "profiling_name"));
  RecordedGroup& group = record.groups[name];
  if (has_name && group.description.empty()) {
    group.description = short_text(&pickle.values[names->parts[1]]);
  }
  group.calls.push_back({sequence, std::string(behind(full_name, ":")), std::move(state),
                         number_of(pickle.find(entry, "time_created_ns"))});
}

std::string rank_names(const std::vector<int>& ranks) {
  std::vector<std::string> names;
  for (const int rank : ranks) names.push_back(cat("rank ", rank));
  return some_of(names);
}

// Compares what the ranks did in one group.
class GroupComparison {
 public:
  GroupComparison(const std::string& name, const std::vector<FlightRecord>& records) {
    std::set<int> members;
    for (const FlightRecord& record : records) {
      const auto found = record.groups.find(name);
      if (found == record.groups.end()) continue;
      members.insert(found->second.ranks.begin(), found->second.ranks.end());
      where_ = found->second.description;
    }
    for (const FlightRecord& record : records) {
      const auto found = record.groups.find(name);
      const bool has_calls = found != record.groups.end() && !found->second.calls.empty();
      if (has_calls || members.contains(record.rank)) {
        calls_[record.rank] = has_calls ? Calls(found->second.calls) : Calls();
      }
    }
    at_ = first_open();
    where_ =
        cat(" #", at_, " of process group ", name, where_.empty() ? "" : cat(" (", where_, ")"));
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

Result<FlightRecord> read_flight_record(int rank, std::string_view dump) {
  TRY_ASSIGN(const Pickle pickle, read_pickle(dump));
  const PickleValue* entries = pickle.find(pickle.values[pickle.root], "entries");
  if (entries == nullptr || entries->kind != PickleValue::Kind::list) {
    return Error{Code::error, "it has no list of entries", ""};
  }
  FlightRecord record;
  record.rank = rank;
  take_groups(pickle, record);
  const std::size_t count = entries->parts.size();
  for (std::size_t at = count - std::min(count, k_most_entries); at < count; ++at) {
    take_call(pickle, pickle.values[entries->parts[at]], record);
  }
  for (auto& [name, group] : record.groups) {
    std::ranges::stable_sort(group.calls, {}, &RecordedCall::sequence);
    const auto is_same = [](const RecordedCall& one, const RecordedCall& next) {
      return one.sequence == next.sequence;
    };
    group.calls.erase(std::unique(group.calls.begin(), group.calls.end(), is_same),
                      group.calls.end());
  }
  return record;
}

RecordVerdict compare_records(const std::vector<FlightRecord>& records) {
  std::set<std::string> names;
  for (const FlightRecord& record : records) {
    for (const auto& [name, group] : record.groups) names.insert(name);
  }
  RecordVerdict best;
  for (const std::string& name : names) {
    RecordVerdict one = GroupComparison(name, records).verdict();
    if (one.sentence.empty()) continue;
    const bool is_better = one.is_difference != best.is_difference ? one.is_difference
                           : one.is_difference ? one.created_ns < best.created_ns
                                               : one.created_ns > best.created_ns;
    if (best.sentence.empty() || is_better) best = std::move(one);
  }
  return best;
}

}  // namespace trainctl::job
