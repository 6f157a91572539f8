// The history of runs in a SQLite file that only its owner may read.
#pragma once

#include <memory>
#include <string>

#include "base/environment.h"
#include "base/file/sqlite.h"
#include "work/access.h"

namespace trainctl::work {

// The bounds of the history. A longer manifest is not kept.
inline constexpr std::size_t k_most_runs = 1000;
inline constexpr Duration k_oldest_run = std::chrono::hours(24 * 90);
inline constexpr std::size_t k_longest_manifest = std::size_t{64} << 10U;

// $XDG_STATE_HOME/trainctl/history.db, else ~/.local/state/trainctl/history.db; "" without HOME,
// and in a container whose user has none.
std::string history_path(const Environment& environment);

// Opens its file when it is first written or read. Waits only ten seconds for a file that another
// process has locked.
class History : public PastRuns {
 public:
  // ":memory:" is a history that ends with this object.
  explicit History(std::string path) : path_(std::move(path)) {}

  Status keep(const PastRun& run, Time now) override;
  Result<std::vector<PastRun>> list(const RunQuery& query) override;
  Result<bool> has_submitted(const std::string& uid) override;
  Result<PastRun> find(std::int64_t number) override;

 private:
  Status open();
  bool is_there() const;
  Status write(const PastRun& run, Time now);
  Status insert(const PastRun& run, const Json& facts, Time now);
  Status write_metrics(const PastRun& run);
  Result<Json> metrics_of(const std::string& uid);
  Status complete(std::int64_t number, const Json& facts, const Json& manifest);

  std::string path_;
  std::unique_ptr<Sqlite> file_;
};

}  // namespace trainctl::work
