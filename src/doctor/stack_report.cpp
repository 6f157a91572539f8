// Lines for people are bounded in number; the data holds every member.
#include "doctor/stack_report.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "doctor/waits.h"

namespace trainctl::view {
namespace {

constexpr std::size_t k_most_rows = 10;
constexpr Duration k_silence = std::chrono::seconds(30);  // shorter ones are usual
constexpr std::size_t k_most_of_report = std::size_t{64} << 10;

bool is_suspect(const job::Diagnosis& diagnosis, std::size_t member) {
  return std::ranges::count(diagnosis.suspects, member) > 0;
}

// By the node's clock, which may be ahead of ours.
std::optional<Duration> silence_of(const work::InsideLook& look) {
  if (!look.last_line) return std::nullopt;
  return std::max(look.taken - *look.last_line, Duration{});
}

// "silent for 12m, last at 1204/2000, GPU 91 %, 34 of 80 GiB; ", as much as is known.
std::string facts_of(const work::InsideLook& look) {
  std::vector<std::string> facts;
  const auto silent = silence_of(look);
  if (silent && *silent >= k_silence) facts.push_back("silent for " + format_age(*silent));
  if (!look.position.empty()) facts.push_back("last at " + look.position);
  if (!look.gpus.empty()) facts.push_back(look.gpus);
  return facts.empty() ? "" : join(facts, ", ") + "; ";
}

// With an odd one out, its own line says where it is.
std::string verdict_line(const work::InsideLook& look, const job::Diagnosis& diagnosis) {
  std::string verdict = diagnosis.sentence;
  if (diagnosis.situation == job::Situation::odd_one_out) {
    std::size_t waiting = 0, all = 0;
    std::string collective;
    for (const job::MemberGroup& group : diagnosis.groups) {
      all += group.members.size();
      if (group.collective.empty()) continue;
      waiting += group.members.size();
      if (collective.empty()) collective = group.collective;
    }
    verdict = cat(waiting, " of ", all, waiting == 1 ? " ranks waits in " : " ranks wait in ",
                  collective);
  }
  const bool is_certain = diagnosis.confidence == job::Confidence::certain;
  const std::string doubt = cat(" (", job::confidence_name(diagnosis.confidence), ")");
  return cat(look.job, ": ", facts_of(look), verdict, is_certain ? "" : doubt, "\n");
}

std::string suspect_line(const job::Member& member, const Console& console) {
  std::string line = cat(console.painted("✗", Colour::red), " ", job::member_name(member));
  if (!member.rank.empty()) line += cat(" ", member.replica);
  if (!member.node.empty()) line += cat(" on ", member.node);
  return cat(line, ": ", job::member_words(member), "\n");
}

std::string group_line(const work::InsideLook& look, const job::MemberGroup& group) {
  const std::size_t count = group.members.size();
  const job::Member& first = look.members[group.members.front()];
  const bool is_at_line = !first.process.stack.empty();
  const std::string members =
      count == 1 ? job::member_name(first) : cat(is_at_line ? "" : "each of ", count, " ranks");
  const bool adds = !group.collective.empty() && !group.place.ends_with(" " + group.collective);
  return cat("  ", members, ": ", group.place, adds ? cat(" (in ", group.collective, ")") : "",
             "\n");
}

// Its processes would write their stacks if asked.
bool would_signals_help(const work::InsideLook& look, const job::Diagnosis& diagnosis) {
  const bool is_known = diagnosis.situation == job::Situation::stopped ||
                        diagnosis.situation == job::Situation::peer_ended;
  return !is_known && std::ranges::any_of(look.members, job::can_be_asked, &job::Member::process);
}

// Without "trainctl"; "" when nothing was seen.
std::string next_command(const work::InsideLook& look, const job::Diagnosis& diagnosis) {
  // Whole stacks show where the ranks parted.
  if (diagnosis.situation == job::Situation::mismatch) return cat("doctor ", look.job, " -o json");
  if (would_signals_help(look, diagnosis)) {
    const std::string part = look.is_part ? cat("/", look.members.front().replica) : "";
    return cat("doctor ", look.job, part, " --signal");
  }
  if (!diagnosis.suspects.empty()) {
    const job::Member& first = look.members[diagnosis.suspects.front()];
    const std::string name = cat(look.job, "/", first.replica);
    return first.absence == job::Absence::none ? cat("exec -it ", name, " -- sh")
                                               : cat("logs ", name);
  }
  if (diagnosis.groups.empty()) return "";
  if (diagnosis.situation == job::Situation::computing) return cat("top ", look.job);
  if (look.is_part) return cat("doctor ", look.job);
  if (diagnosis.situation == job::Situation::deadlock) {
    return cat("rerun ", look.job, " --env NCCL_DEBUG=INFO");
  }
  return cat("logs --all ", look.job);
}

std::string rest_line(std::size_t shown, std::size_t all, std::string_view what) {
  return all > shown ? cat("  … and ", all - shown, " more ", what, "\n") : "";
}

Json as_json(const job::Member& member) {
  const job::Process& process = member.process;
  Json json = {{"replica", member.replica}};
  if (!member.rank.empty()) json["rank"] = parse_number<int>(member.rank).value_or(0);
  if (!member.node.empty()) json["node"] = member.node;
  if (member.absence != job::Absence::none) {
    json["missing"] = job::member_words(member);
    return json;
  }
  json["wait"] = job::wait_words(job::wait_of(process));
  json["pid"] = process.pid;
  json["command"] = process.command;
  json["state"] = std::string(1, process.state);
  if (process.cpu_percent) json["cpuPercent"] = *process.cpu_percent;
  for (const auto& [key, value] :
       {std::pair{"wchan", &process.wchan}, std::pair{"syscall", &process.syscall},
        std::pair{"pipe", &process.pipe}, std::pair{"noStack", &process.no_stack}}) {
    if (!value->empty()) json[key] = *value;
  }
  if (!process.kernel.empty()) json["kernel"] = process.kernel;
  for (const job::Frame& frame : process.stack) {
    json["stack"].push_back({{"function", frame.name}, {"file", frame.file}, {"line", frame.line}});
  }
  return json;
}

}  // namespace

std::string inside_screen(const work::InsideLook& look, const job::Diagnosis& diagnosis,
                          const Viewer& viewer) {
  std::string screen = verdict_line(look, diagnosis);
  for (std::size_t at = 0; at < std::min(diagnosis.suspects.size(), k_most_rows); ++at) {
    screen += suspect_line(look.members[diagnosis.suspects[at]], viewer.console);
  }
  screen += rest_line(k_most_rows, diagnosis.suspects.size(), "such ranks");
  std::size_t others = 0;
  for (const job::MemberGroup& group : diagnosis.groups) {
    const bool is_shown = std::ranges::all_of(
        group.members, [&](std::size_t member) { return is_suspect(diagnosis, member); });
    if (is_shown) continue;
    if (++others <= k_most_rows) screen += group_line(look, group);
  }
  screen += rest_line(k_most_rows, others, "places");
  if (!look.flight_record.empty()) screen += cat("flight recorder: ", look.flight_record, "\n");
  if (!diagnosis.doubt.empty()) screen += cat("note: ", diagnosis.doubt, "\n");
  const std::string next = next_command(look, diagnosis);
  return next.empty() ? screen
                      : cat(screen, "next: ", viewer.runnable(cat("trainctl ", next)), "\n");
}

Json inside_report(const work::InsideLook& look, const job::Diagnosis& diagnosis) {
  const auto names = [&look](const std::vector<std::size_t>& numbers) {
    Json all = Json::array();
    for (const std::size_t at : numbers) all.push_back(job::member_name(look.members[at]));
    return all;
  };
  Json report = {{"apiVersion", "trainctl/v1"},
                 {"kind", "DoctorReport"},
                 {"name", look.job},
                 {"namespace", look.ns},
                 {"time", format_time(look.taken)},
                 {"situation", job::situation_name(diagnosis.situation)},
                 {"confidence", job::confidence_name(diagnosis.confidence)},
                 {"sentence", diagnosis.sentence}};
  if (!diagnosis.doubt.empty()) report["doubt"] = diagnosis.doubt;
  if (look.last_line) {
    report["lastLine"] = format_time(*look.last_line);
    const auto silent = std::chrono::floor<std::chrono::seconds>(*silence_of(look));
    report["silentSeconds"] = silent.count();
  }
  if (!look.position.empty()) report["position"] = look.position;
  if (!look.gpus.empty()) report["gpus"] = look.gpus;
  if (!look.flight_record.empty()) report["flightRecorder"] = look.flight_record;
  report["suspects"] = names(diagnosis.suspects);
  report["groups"] = Json::array();
  for (const job::MemberGroup& group : diagnosis.groups) {
    Json one = {{"members", names(group.members)}, {"place", group.place}};
    if (!group.collective.empty()) one["collective"] = group.collective;
    report["groups"].push_back(std::move(one));
  }
  report["members"] = Json::array();
  for (const job::Member& member : look.members) report["members"].push_back(as_json(member));
  return report;
}

Json bounded_inside_report(const work::InsideLook& look, const job::Diagnosis& diagnosis) {
  Json report = inside_report(look, diagnosis);
  const auto fits = [&report] { return dump(report).size() <= k_most_of_report; };
  if (fits()) return report;
  const std::string doubt = text_at(report, "/doubt");
  const auto note = [&](std::string_view what) {
    report["doubt"] = cat(doubt, doubt.empty() ? "" : "; ", "left out for their size: ", what);
  };
  const auto drop_stacks = [&](bool suspects) {
    for (std::size_t at = 0; at < look.members.size(); ++at) {
      if (is_suspect(diagnosis, at) != suspects) continue;
      report["members"][at].erase("stack");
      report["members"][at].erase("kernel");
    }
  };
  note("stacks");
  drop_stacks(false);
  if (!fits()) drop_stacks(true);
  if (fits()) return report;
  note("members, groups and suspects");
  for (const char* list : {"members", "groups", "suspects"}) report[list] = Json::array();
  return report;
}

}  // namespace trainctl::view
