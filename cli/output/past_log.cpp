// Asks no cluster: replicas are those that have a line in the file.
#include "cli/output/past_log.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/file/own_file.h"
#include "base/text/text.h"
#include "cli/output/noting.h"
#include "job/logs/kept_log.h"
#include "work/history/find_run.h"
#include "work/history/kept_logs.h"

namespace trainctl::cli {
namespace {

using job::KeptLine;

std::optional<job::ReplicaId> replica_named(const job::Kind& kind, std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto index = job::parse_index(name.substr(dash + 1));
  for (const job::Role& role : kind.roles) {
    if (index && role.prefix == name.substr(0, dash)) return job::ReplicaId{&role, *index};
  }
  return std::nullopt;
}

// With nothing chosen, all lines: they are those that were printed.
bool is_chosen(const job::LogChoice& choice, const std::string& job, const KeptLine& line) {
  const job::LogSelection& chosen = choice.selection;
  const std::string rank = line.rank ? std::to_string(*line.rank) : "";
  if (!chosen.container.empty() && chosen.container != line.container) return false;
  if (choice.options.since && line.line.stamp && *line.line.stamp < *choice.options.since) {
    return false;
  }
  if (!chosen.role.empty()) {
    return line.replica.substr(0, line.replica.rfind('-')) == lower(chosen.role);
  }
  if (!chosen.ranks.empty()) return std::ranges::find(chosen.ranks, rank) != chosen.ranks.end();
  if (chosen.replica.empty()) return true;
  return chosen.replica == line.replica || chosen.replica == cat("rank:", rank) ||
         chosen.replica == cat(job, '-', line.replica);
}

std::string last_stamp(const std::vector<KeptLine>& lines) {
  std::optional<Time> last;
  for (const KeptLine& line : lines) last = std::max(last, line.line.stamp);
  return last ? cat("; its log was followed until ", format_time(*last)) : "";
}

void keep_last_of_each(std::vector<KeptLine>& lines, long count) {
  std::map<std::string, long> seen;
  std::vector<KeptLine> last;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!line->replica.empty() && seen[line->replica]++ < count) last.push_back(*line);
  }
  lines.assign(last.rbegin(), last.rend());
}

std::vector<std::string> names_in(const std::vector<KeptLine>& lines) {
  std::set<std::string> replicas;
  for (const KeptLine& line : lines) {
    if (!line.replica.empty()) replicas.insert(line.replica);
  }
  return {replicas.begin(), replicas.end()};
}

Status check_past(const job::JobRef& job, std::string_view gone, const job::LogChoice& choice) {
  const auto& ranks = choice.selection.ranks;
  const bool is_range = std::ranges::any_of(
      ranks, [](const std::string& rank) { return !job::parse_index(rank).has_value(); });
  if (is_range) {
    return Error{Code::usage, cat(gone, ", so its ranks must be numbers"),
                 cat("leave out --rank: trainctl logs ", job.name)};
  }
  if (!choice.options.previous) return {};
  return Error{Code::usage, cat(gone, ", and the history keeps its runs in one log"),
               cat("leave out --previous: trainctl logs ", job.name)};
}

}  // namespace

Status print_kept_lines(Context& context, const job::Kind& kind, const job::PrintOptions& form,
                        const job::LogPlaces& places, const std::vector<KeptLine>& lines) {
  Status outcome;
  job::LogSession session(context.console, context.loop, places,
                          {.on_lost = [&outcome](Error error) { outcome = std::move(error); },
                           .on_unsaved = [&outcome](Error error) { outcome = std::move(error); },
                           .on_hold = [](bool) {}});
  session.set_format(form);
  for (const KeptLine& line : lines) {
    if (!outcome) return outcome;
    if (line.replica.empty()) {
      context.console.notice(
          cat("the history left out ", line.left_out, " lines in the middle of the log"));
    } else if (const auto replica = replica_named(kind, line.replica)) {
      session.take({*replica, line.rank, line.container, line.attempt}, line.line);
    }
  }
  session.flush();
  session.drain([] { return false; });
  return outcome;
}

Status print_past_log(Context& context, const job::JobRef& job, const std::string& uid,
                      const job::LogChoice& choice, Error gone, std::optional<long> turn) {
  if (gone.code != Code::not_found || !context.history) return gone;
  const auto run = work::newest_run(context, job);
  if (!run && uid.empty()) return work::naming_past_members(context, job, "logs", std::move(gone));
  if (!run || (!uid.empty() && run->uid != uid)) return gone;
  gone.hint = cat("the history's record of the job: trainctl history ", run->number);
  const long turns = work::count_kept_logs(context.files, context.environment, run->uid);
  if (turn && (*turn < 1 || *turn > turns)) {
    return Error{Code::not_found,
                 cat("the history has ", plural(turns, "log"), " of job ", job.name),
                 cat("trainctl logs ", job.name)};
  }
  const auto file =
      work::kept_log_path(context.environment, run->uid, turn == turns ? std::nullopt : turn);
  const auto content = read_own_file(context.files, file);
  const job::Kind* kind = job::find_kind(run->kind);
  if (!content || content->empty() || kind == nullptr) return gone;
  const std::string what = cat(uid.empty() ? "job " : "the pods of job ", job.name,
                               uid.empty() ? " is gone" : " are gone");
  TRY(check_past(job, what, choice));
  const std::vector<KeptLine> all = job::read_kept_lines(*content);
  std::vector<KeptLine> lines = all;
  const std::string until = last_stamp(lines);
  std::erase_if(lines, [&](const KeptLine& line) {
    return !line.replica.empty() && !is_chosen(choice, job.name, line);
  });
  if (choice.options.tail_lines) keep_last_of_each(lines, *choice.options.tail_lines);
  const bool is_empty =
      std::ranges::all_of(lines, [](const KeptLine& line) { return line.replica.empty(); });
  if (is_empty && !choice.options.tail_lines) {
    return Error{Code::not_found,
                 cat(what, ", and the history kept no such line; it has lines of ",
                     join(names_in(all), ", ")),
                 cat("all kept lines: trainctl logs ", job.name)};
  }
  if (turn) {
    context.console.notice(
        cat("from the history: run ", *turn, " of ", turns, " of job ", job.name));
  } else {
    const std::string earlier =
        turns < 2 ? "" : cat("; its logs before that: --run 1 to ", turns - 1);
    context.console.notice(cat("from the history: ", what, until, earlier));
  }
  return print_kept_lines(context, *kind, choice.print_options(names_in(lines).size()),
                          choice.places, lines);
}

}  // namespace trainctl::cli
