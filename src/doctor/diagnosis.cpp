// Rules from the surest to the weakest; the first that fits gives the verdict.
#include "doctor/diagnosis.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "base/text/words.h"
#include "doctor/waits.h"

namespace trainctl::job {
namespace {

// NCCL's rule for outliers.
constexpr std::size_t k_most_outliers = 10;
constexpr std::size_t k_outlier_share = 4;

constexpr Word<Situation> k_situations[] = {
    {"not-seen", Situation::not_seen},     {"stopped", Situation::stopped},
    {"peer-ended", Situation::peer_ended}, {"odd-one-out", Situation::odd_one_out},
    {"mismatch", Situation::mismatch},     {"deadlock", Situation::deadlock},
    {"storage", Situation::storage},       {"waiting", Situation::waiting},
    {"computing", Situation::computing},   {"mixed", Situation::mixed},
};
constexpr Word<Confidence> k_confidences[] = {
    {"certain", Confidence::certain},
    {"likely", Confidence::likely},
    {"possible", Confidence::possible},
};

using Numbers = std::vector<std::size_t>;

bool is_seen(const Member& member) {
  return member.absence == Absence::none;
}

// The key of a group: the whole stack, else what the kernel says.
std::string group_key(const Process& process) {
  if (process.stack.empty()) {
    return cat("k", process.state, '\n', process.wchan, '\n', process.syscall, '\n', process.pipe);
  }
  std::string key = "s";
  for (const Frame& frame : process.stack) {
    key += cat(frame.name, '\n', frame.file, '\n', frame.line, '\n');
  }
  return key;
}

std::string place_of(const Process& process) {
  if (const Frame* frame = own_frame(process.stack)) return frame_words(*frame);
  return cat(wait_words(wait_of(process)), " (", state_words(process), ")");
}

std::vector<MemberGroup> groups_of(const std::vector<Member>& members) {
  std::map<std::string, MemberGroup> by_key;
  for (std::size_t at = 0; at < members.size(); ++at) {
    if (!is_seen(members[at])) continue;
    const Process& process = members[at].process;
    MemberGroup& group = by_key[group_key(process)];
    group.members.push_back(at);
    if (group.members.size() > 1) continue;
    group.place = place_of(process);
    group.collective = collective_of(process);
  }
  std::vector<MemberGroup> groups;
  for (auto& [key, group] : by_key) groups.push_back(std::move(group));
  std::ranges::stable_sort(groups, std::ranges::greater(),
                           [](const MemberGroup& group) { return group.members.size(); });
  return groups;
}

// Applies the rules to one set of members.
class Judge {
 public:
  explicit Judge(const std::vector<Member>& members) : members_(members) {
    result_.groups = groups_of(members);
    seen_ = chosen(is_seen);
    waiting_ = chosen([](const Member& member) {
      return is_seen(member) && !collective_of(member.process).empty();
    });
  }

  Diagnosis verdict() {
    const bool found = not_seen() || stopped() || peer_missing() || outside_collective() ||
                       all_in_collectives() || blocked(Wait::storage, Situation::storage) ||
                       blocked(Wait::pipe, Situation::waiting) || odd_group() || all_compute() ||
                       all_wait();
    if (!found) mixed();
    add_gaps();
    return std::move(result_);
  }

 private:
  Numbers chosen(const std::function<bool(const Member&)>& accepts) const {
    Numbers numbers;
    for (std::size_t at = 0; at < members_.size(); ++at) {
      if (accepts(members_[at])) numbers.push_back(at);
    }
    return numbers;
  }

  Numbers with_absence(Absence absence) const {
    return chosen([absence](const Member& member) { return member.absence == absence; });
  }

  Numbers with_wait(Wait wait) const {
    return chosen([wait](const Member& member) {
      return is_seen(member) && wait_of(member.process) == wait;
    });
  }

  std::string names(const Numbers& numbers) const {
    std::vector<std::string> all;
    for (const std::size_t at : numbers) all.push_back(member_name(members_[at]));
    return some_of(all);
  }

  bool is_few(std::size_t count) const {
    return count <= k_most_outliers &&
           count <= std::max<std::size_t>(1, seen_.size() / k_outlier_share);
  }

  bool conclude(Situation situation, Confidence confidence, std::string sentence,
                Numbers suspects = {}, std::string doubt = "") {
    result_.situation = situation;
    result_.confidence = confidence;
    result_.sentence = std::move(sentence);
    result_.suspects = std::move(suspects);
    result_.doubt = std::move(doubt);
    return true;
  }

  bool not_seen() {
    if (!seen_.empty()) return false;
    const Numbers unseen = with_absence(Absence::unseen);
    const std::string why = unseen.empty() ? "no replica runs" : members_[unseen.front()].why;
    return conclude(Situation::not_seen, Confidence::certain, cat("cannot look inside: ", why));
  }

  bool stopped() {
    Numbers stopped = with_wait(Wait::stopped);
    if (stopped.empty()) return false;
    const std::string sentence =
        cat(names(stopped), is_one(stopped) ? " is" : " are", " stopped (SIGSTOP or a debugger)");
    return conclude(Situation::stopped, Confidence::certain, sentence, stopped);
  }

  bool peer_missing() {
    for (const bool has_ended : {true, false}) {
      Numbers missing = chosen([has_ended](const Member& member) {
        if (!has_ended) return member.absence == Absence::not_started;
        return member.absence == Absence::ended ||
               (is_seen(member) && wait_of(member.process) == Wait::ended);
      });
      if (missing.empty()) continue;
      const bool they_wait = !waiting_.empty();
      std::string sentence = cat(
          names(missing), is_one(missing) ? " has " : " have ", has_ended ? "ended" : "not started",
          they_wait ? is_one(missing) ? " and its peers wait" : " and their peers wait"
                    : "; the others still run");
      if (they_wait) sentence += cat(" in ", collective_of(members_[waiting_.front()].process));
      return conclude(Situation::peer_ended, they_wait ? Confidence::likely : Confidence::possible,
                      std::move(sentence), std::move(missing));
    }
    return false;
  }

  bool outside_collective() {
    if (waiting_.empty() || waiting_.size() == seen_.size()) return false;
    Numbers outside = chosen([](const Member& member) {
      return is_seen(member) && collective_of(member.process).empty();
    });
    if (!is_few(outside.size())) {
      return conclude(
          Situation::mixed, Confidence::possible,
          cat(waiting_.size(), " of ", seen_.size(), " ranks wait in ",
              collective_of(members_[waiting_.front()].process), "; the others are elsewhere"));
    }
    const Member& first = members_[outside.front()];
    const bool computes = wait_of(first.process) == Wait::runs;
    std::string sentence =
        cat(names(outside), is_one(outside) ? " is" : " are",
            " not in the collective that the others wait in: ", member_words(first));
    if (is_leaving(first.process)) sentence += "; it handles an error or exits";
    std::string doubt;
    if (computes) doubt = "it still computes, and may only be slow";
    const bool is_telling = !computes && !first.process.stack.empty();
    const Confidence confidence = is_telling ? Confidence::likely : Confidence::possible;
    return conclude(Situation::odd_one_out, confidence, sentence, outside, doubt);
  }

  bool all_in_collectives() {
    if (waiting_.empty() || waiting_.size() != seen_.size()) return false;
    std::map<std::string_view, std::size_t> counts;
    for (const std::size_t at : waiting_) ++counts[collective_of(members_[at].process)];
    if (counts.size() > 1) {
      std::vector<std::string> parts;
      for (const auto& [name, count] : counts) parts.push_back(cat(name, " (", count, ")"));
      return conclude(Situation::mismatch, Confidence::likely,
                      cat("ranks wait in different collectives: ", some_of(parts)), small_groups());
    }
    const std::string all = seen_.size() == 1 ? member_name(members_[seen_.front()]) + " waits"
                            : seen_.size() == members_.size()
                                ? std::string("all ranks wait")
                                : cat(seen_.size(), " of ", members_.size(), " ranks wait");
    const std::string where = cat(all, " in ", counts.begin()->first);
    if (result_.groups.size() > 1) {
      return conclude(Situation::mismatch, Confidence::possible,
                      cat(where, ", called from different lines"), small_groups());
    }
    if (seen_.size() != members_.size() || seen_.size() == 1) {
      return conclude(Situation::deadlock, Confidence::possible, where);
    }
    return conclude(Situation::deadlock, Confidence::possible, cat(where, ": deadlock or network"));
  }

  // Some are blocked in a way that the kernel shows.
  bool blocked(Wait wait, Situation situation) {
    const Numbers blocked = with_wait(wait);
    if (blocked.empty()) return false;
    const Member& first = members_[blocked.front()];
    std::string_view verb = wait_words(wait);
    if (!is_one(blocked)) {
      verb = wait == Wait::pipe ? "read pipes that give nothing" : "wait for storage";
    }
    const std::string detail = first.process.stack.empty()
                                   ? cat(" (", state_words(first.process), ")")
                                   : cat(": ", member_words(first));
    const bool is_telling = blocked.size() == seen_.size() || is_few(blocked.size());
    return conclude(situation, is_telling ? Confidence::likely : Confidence::possible,
                    cat(names(blocked), " ", verb, detail), blocked);
  }

  // No collective is known, but all others stand at one place, or wait in one way.
  bool odd_group() {
    if (seen_.size() < 3 || result_.groups.size() < 2) return false;
    Numbers odd = small_groups();
    if (!is_few(odd.size())) return false;
    const Member& first = members_[odd.front()];
    const MemberGroup& largest = result_.groups.front();
    const Wait wait = wait_of(first.process);
    // Ranks that compute are at different lines all the time.
    if (wait == Wait::runs && wait_of(members_[largest.members.front()].process) == Wait::runs) {
      return false;
    }
    const bool has_stack = !first.process.stack.empty();
    const std::string sentence =
        has_stack ? cat(names(odd), is_one(odd) ? " is" : " are",
                        " not where the others are: ", member_words(first))
                  : cat(names(odd), is_one(odd) ? " " : ": ", member_words(first));
    return conclude(Situation::waiting, Confidence::possible, sentence, odd,
                    has_stack ? "no rank is in a collective that trainctl knows" : "");
  }

  bool all_compute() {
    if (with_wait(Wait::runs).size() != seen_.size()) return false;
    return conclude(
        Situation::computing, Confidence::likely,
        seen_.size() == 1 ? cat(member_name(members_[seen_.front()]), " computes: slow, not hung")
                          : std::string("all ranks compute: slow, not hung"),
        {},
        "a rank that polls its GPU looks the same; look again in a minute, and at trainctl top");
  }

  bool all_wait() {
    if (result_.groups.size() != 1 || !with_wait(Wait::runs).empty()) return false;
    const Member& first = members_[seen_.front()];
    return conclude(
        Situation::waiting, Confidence::possible,
        cat(seen_.size() == 1 ? member_name(first) : "each rank", ": ", member_words(first)));
  }

  void mixed() {
    const std::size_t computing = with_wait(Wait::runs).size();
    conclude(Situation::mixed, Confidence::possible,
             cat("the ranks show no pattern: ", computing, " of ", seen_.size(), " ranks compute, ",
                 seen_.size() - computing, " wait"));
  }

  Numbers small_groups() const {
    Numbers all;
    for (std::size_t at = 1; at < result_.groups.size(); ++at) {
      const Numbers& members = result_.groups[at].members;
      all.insert(all.end(), members.begin(), members.end());
    }
    std::ranges::sort(all);
    return is_few(all.size()) ? all : Numbers{};
  }

  static bool is_one(const Numbers& numbers) { return numbers.size() == 1; }

  // The verdict never claims more than was seen.
  void add_gaps() {
    if (seen_.empty()) return;
    const Numbers unseen = with_absence(Absence::unseen);
    const auto add = [this](const std::string& text) {
      result_.doubt += cat(result_.doubt.empty() ? "" : "; ", text);
    };
    std::set<std::string> cut;
    for (const Member& member : members_) {
      if (member.is_cut) cut.insert(member.replica);
    }
    if (!(unseen.empty() && cut.empty()) && result_.confidence == Confidence::likely) {
      result_.confidence = Confidence::possible;
    }
    if (!cut.empty()) {
      add(cat("cut off, so processes may be missing: the answer of ",
              some_of({cut.begin(), cut.end()})));
    }
    if (!unseen.empty()) {
      add(cat("not seen: ", names(unseen), " (", members_[unseen.front()].why, ")"));
    }
    const Numbers dark = chosen(
        [](const Member& member) { return is_seen(member) && !member.process.no_stack.empty(); });
    if (!dark.empty()) {
      const std::string& why = members_[dark.front()].process.no_stack;
      const bool lacks_program = why.find("no py-spy") != std::string::npos;
      add(cat("no Python stack of ", dark.size() == seen_.size() ? "any rank" : names(dark), " (",
              why,
              lacks_program ? "; pip install py-spy there, or trainctl doctor --py-spy FILE" : "",
              ")"));
    }
  }

  const std::vector<Member>& members_;
  Numbers seen_, waiting_;
  Diagnosis result_;
};

}  // namespace

std::string member_name(const Member& member) {
  return member.rank.empty() ? member.replica : cat("rank ", member.rank);
}

std::string member_words(const Member& member) {
  const Process& process = member.process;
  if (member.absence == Absence::ended) return "has ended";
  if (member.absence == Absence::not_started) return "has not started";
  if (member.absence == Absence::unseen) return member.why;
  std::string words = place_of(process);
  if (!process.stack.empty()) words += cat(" (", state_words(process), ")");
  return words;
}

std::string_view situation_name(Situation situation) {
  return word_of(k_situations, situation);
}

std::string_view confidence_name(Confidence confidence) {
  return word_of(k_confidences, confidence);
}

Diagnosis diagnose(const std::vector<Member>& members) {
  return Judge(members).verdict();
}

std::string computing_words(const std::vector<Member>& members) {
  const auto computes = [](const Member& member) {
    return is_seen(member) && uses_cpu(member.process) && collective_of(member.process).empty();
  };
  const auto count = std::ranges::count_if(members, computes);
  if (count == 0) return "";
  if (count > 1) return cat(count, " of ", members.size(), " ranks compute");
  return member_name(*std::ranges::find_if(members, computes)) + " computes";
}

}  // namespace trainctl::job
