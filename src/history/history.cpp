// Each run is one transaction: a process that is killed loses the run that it was writing.
#include "history/history.h"

#include <algorithm>
#include <filesystem>

#include "base/environment.h"
#include "base/file/output_file.h"
#include "base/text/text.h"
#include "history/run_report.h"

namespace trainctl::work {
namespace {

// Hundreds of jobs that end at once write one after the other, each with several flushes to the
// disk.
constexpr Duration k_patience_for_others = std::chrono::seconds(10);
constexpr std::int64_t k_history_layout = 1;  // PRAGMA user_version

// No WAL: its shared memory does not work between machines that share a home directory.
constexpr const char* k_history_settings =
    "PRAGMA synchronous=NORMAL;"
    "PRAGMA cache_size=-256;"
    "PRAGMA temp_store=MEMORY;";

// `facts` and `manifest` are JSON; a manifest of '' was not kept.
constexpr const char* k_history_tables =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS runs("
    "number INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL, submitted INTEGER NOT NULL,"
    "name TEXT NOT NULL, namespace TEXT NOT NULL, facts TEXT NOT NULL, manifest TEXT NOT NULL);"
    "CREATE UNIQUE INDEX IF NOT EXISTS uids ON runs(uid);"
    "PRAGMA user_version=1;"
    "COMMIT;";

// Made when the first metrics are kept, since older versions read the same file.
constexpr const char* k_metrics_table =
    "CREATE TABLE IF NOT EXISTS metrics(uid TEXT PRIMARY KEY, metrics TEXT NOT NULL);"
    "DELETE FROM metrics WHERE uid NOT IN (SELECT uid FROM runs);";

std::int64_t seconds_since_epoch(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

std::string kept_text(const Json& manifest) {
  std::string text = manifest.is_null() ? "" : dump(manifest);
  if (text.size() > k_longest_manifest) text.clear();
  return text;
}

// `manifest`: "" = not asked for, or too long to keep.
Result<PastRun> run_of(std::int64_t number, const std::string& facts, const std::string& manifest) {
  TRY_ASSIGN(const Json parsed, parse_json(facts, "the history"));
  PastRun run = read_run_facts(parsed);
  run.number = number;
  if (!manifest.empty()) {
    TRY_ASSIGN(run.manifest, parse_json(manifest, "the history"));
  }
  return run;
}

double last_step(const Json& metrics) {
  const Json* const step = find(metrics, "/step");
  return step != nullptr && step->is_number() ? step->get<double>() : 0;
}

bool has_points(const Json& metrics) {
  return std::ranges::any_of(array_at(metrics, "/series"),
                             [](const Json& series) { return series.contains("points"); });
}

}  // namespace

std::string history_path(const Environment& environment) {
  if (is_homeless(environment)) return "";
  const std::string state = state_directory(environment);
  return state.empty() ? "" : state + "/history.db";
}

bool History::is_there() const {
  std::error_code trouble;
  return file_ != nullptr || path_ == ":memory:" || std::filesystem::exists(path_, trouble);
}

Status History::open() {
  if (file_ != nullptr) return {};
  if (path_ != ":memory:") TRY(find_output_place(path_, NewDirectories::closed_to_others));
  TRY_ASSIGN(auto file, Sqlite::open(path_, k_patience_for_others));
  TRY(file->execute(k_history_settings));
  TRY_ASSIGN(const std::int64_t layout, file->number("PRAGMA user_version"));
  if (layout > k_history_layout) {
    return Error{Code::error, cat(path_, " was written by a newer trainctl"),
                 cat("use that version, or start over: rm ", shell_quoted(path_))};
  }
  if (layout < k_history_layout) TRY(file->execute(k_history_tables));
  file_ = std::move(file);
  return {};
}

Status History::keep(const PastRun& run, Time now) {
  TRY(open());
  TRY(file_->execute("BEGIN IMMEDIATE"));
  Status written = write(run, now);
  if (written) written = file_->execute("COMMIT");
  if (!written && file_->is_in_transaction()) (void)file_->execute("ROLLBACK");
  return written;
}

Status History::write(const PastRun& run, Time now) {
  TRY_ASSIGN(SqliteStatement old,
             file_->prepared("SELECT number, facts, manifest FROM runs WHERE uid = ?1"));
  old.bind(1, run.uid);
  TRY_ASSIGN(const bool is_known, file_->step(old));
  if (!is_known) {
    TRY(insert(run, run_facts(run), now));
    return has_points(run.metrics) ? write_metrics(run) : Status();
  }
  TRY_ASSIGN(Json facts, parse_json(old.text(1), "the history"));
  // Giving up on a job says less about it than its end, which was seen before.
  if (facts.contains("ended") && !run.ended) return {};
  Json news = run_facts(run);
  news.erase("submittedElsewhere");  // following a job does not change who submitted it
  // The command that saw the failure tells more than one that comes later.
  const bool is_told = !text_at(facts, "/verdict/message").empty() &&
                       text_at(facts, "/verdict/result") == text_at(news, "/verdict/result");
  if (is_told) news.erase("verdict");
  if (news.contains("verdict")) facts.erase("verdict");  // with its message
  // A command that follows a run a second time may have seen less of it.
  const bool has_metrics =
      !run.metrics.is_null() && last_step(run.metrics) >= last_step(object_at(facts, "/metrics"));
  (has_metrics ? facts : news).erase("metrics");
  facts.merge_patch(news);
  TRY(complete(old.number(0), facts, old.text(2).empty() ? run.manifest : Json()));
  return has_metrics && has_points(run.metrics) ? write_metrics(run) : Status();
}

// Adds the points to the facts of a run that is noted.
Status History::write_metrics(const PastRun& run) {
  TRY(file_->execute(k_metrics_table));
  TRY_ASSIGN(SqliteStatement put,
             file_->prepared("INSERT OR REPLACE INTO metrics(uid, metrics) VALUES(?1, ?2)"));
  const std::string text = dump(run.metrics);
  put.bind(1, run.uid);
  put.bind(2, text);
  return file_->run(put);
}

// Null where none are kept.
Result<Json> History::metrics_of(const std::string& uid) {
  auto row = file_->prepared("SELECT metrics FROM metrics WHERE uid = ?1");
  if (!row) return Json();  // no run has had any
  row->bind(1, uid);
  TRY_ASSIGN(const bool is_row, file_->step(*row));
  return is_row ? parse_json(row->text(0), "the history") : Json();
}

Status History::complete(std::int64_t number, const Json& facts, const Json& manifest) {
  const std::string text = dump(facts), kept = kept_text(manifest);
  TRY_ASSIGN(SqliteStatement update,
             file_->prepared("UPDATE runs SET facts = ?2, "
                             "manifest = CASE manifest WHEN '' THEN ?3 ELSE manifest END "
                             "WHERE number = ?1"));
  update.bind(1, number);
  update.bind(2, text);
  update.bind(3, kept);
  return file_->run(update);
}

Status History::insert(const PastRun& run, const Json& facts, Time now) {
  const std::string text = dump(facts), kept = kept_text(run.manifest);
  TRY_ASSIGN(SqliteStatement add,
             file_->prepared("INSERT INTO runs(uid, submitted, name, namespace, facts, manifest) "
                             "VALUES(?1, ?2, ?3, ?4, ?5, ?6)"));
  add.bind(1, run.uid);
  add.bind(2, seconds_since_epoch(run.submitted.value_or(now)));
  add.bind(3, run.name);
  add.bind(4, run.ns);
  add.bind(5, text);
  add.bind(6, kept);
  TRY(file_->run(add));
  TRY_ASSIGN(SqliteStatement prune,
             file_->prepared("DELETE FROM runs WHERE submitted < ?1 OR number NOT IN "
                             "(SELECT number FROM runs ORDER BY number DESC LIMIT ?2)"));
  prune.bind(1, seconds_since_epoch(now - k_oldest_run));
  prune.bind(2, std::int64_t{k_most_runs});
  return file_->run(prune);
}

Result<std::vector<PastRun>> History::list(const RunQuery& query) {
  std::vector<PastRun> runs;
  if (!is_there()) return runs;
  TRY(open());
  TRY_ASSIGN(SqliteStatement rows,
             file_->prepared("SELECT number, facts, CASE ?4 WHEN 1 THEN manifest ELSE '' END "
                             "FROM runs WHERE (?1 = '' OR namespace = ?1) "
                             "AND (?2 = '' OR name = ?2) "
                             "AND (?5 = 0 OR json_extract(facts, '$.ended') IS NULL) "
                             "AND (?6 = '[]' OR json_extract(facts, '$.verdict.result') IN "
                             "(SELECT value FROM json_each(?6))) "
                             "ORDER BY submitted DESC, number DESC LIMIT ?3"));
  rows.bind(1, query.ns);
  rows.bind(2, query.name);
  rows.bind(3, query.limit == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(query.limit));
  rows.bind(4, std::int64_t{query.with_manifests ? 1 : 0});
  rows.bind(5, std::int64_t{query.unended ? 1 : 0});
  const std::string verdicts = dump(Json(query.verdicts));
  rows.bind(6, verdicts);
  for (;;) {
    TRY_ASSIGN(const bool is_row, file_->step(rows));
    if (!is_row) return runs;
    // A damaged record must not hide the others.
    auto run = run_of(rows.number(0), rows.text(1), rows.text(2));
    if (run) runs.push_back(*std::move(run));
  }
}

Result<bool> History::has_submitted(const std::string& uid) {
  if (uid.empty() || !is_there()) return false;
  TRY(open());
  TRY_ASSIGN(SqliteStatement row, file_->prepared("SELECT facts FROM runs WHERE uid = ?1"));
  row.bind(1, uid);
  TRY_ASSIGN(const bool is_row, file_->step(row));
  if (!is_row) return false;
  TRY_ASSIGN(const PastRun run, run_of(0, row.text(0), ""));
  return !run.origin.elsewhere;
}

Result<PastRun> History::find(std::int64_t number) {
  const Error missing{Code::not_found, cat("no run ", number, " in the history"),
                      "trainctl history lists the runs"};
  if (!is_there()) return missing;
  TRY(open());
  TRY_ASSIGN(SqliteStatement row,
             file_->prepared("SELECT facts, manifest FROM runs WHERE number = ?1"));
  row.bind(1, number);
  TRY_ASSIGN(const bool is_row, file_->step(row));
  if (!is_row) return missing;
  TRY_ASSIGN(PastRun run, run_of(number, row.text(0), row.text(1)));
  TRY_ASSIGN(Json metrics, metrics_of(run.uid));
  // A command that read only the end of the log has kept its values without a curve.
  const bool is_same_reading = last_step(metrics) >= last_step(run.metrics) &&
                               true_at(metrics, "/endsEarly") == run.metrics_end_early();
  if (!metrics.is_null() && is_same_reading) run.metrics = std::move(metrics);
  return run;
}

}  // namespace trainctl::work
