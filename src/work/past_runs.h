// The memory of runs that were submitted or followed from this machine, as this layer uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text/time.h"
#include "base/value/json.h"

namespace trainctl::work {

// Who submitted a run.
struct RunOrigin {
  std::string line;        // the command line that created it, without secrets
  bool elsewhere = false;  // it was only followed from this machine
};

// A run of a job. Unknown facts are left empty.
struct PastRun {
  std::int64_t number = 0;  // from 1, in the order in which they were noted; 0 = not yet
  std::string name, ns, uid;
  std::string kind;     // "PyTorchJob"
  std::string cluster;  // the context's name, else the server's host; "local" = the embedded one
  std::optional<Time> submitted, started, ended;  // started: when no queue held it any more
  std::string verdict;  // "succeeded", "timed-out", …; "" = nobody waited for it
  std::optional<int> exit_status;
  std::string message;     // of a verdict that is not a success
  std::string saved_logs;  // the directory of --save-logs
  RunOrigin origin;
  Json manifest;  // without secrets; null = not kept, or not asked for
};

struct RunQuery {
  std::string ns;         // "" = any
  std::string name;       // "" = any
  std::size_t limit = 0;  // 0 = all
};

class PastRuns {
 public:
  virtual ~PastRuns() = default;

  // Adds the run, or adds what is new of a run with this uid. `now` decides which runs are too old
  // to be kept.
  virtual Status keep(const PastRun& run, Time now) = 0;
  // The newest first, without manifests.
  virtual Result<std::vector<PastRun>> list(const RunQuery& query) = 0;
  // Whether the job with this uid was submitted from this machine.
  virtual Result<bool> has_submitted(const std::string& uid) = 0;
  // The run with this number; Code::not_found.
  virtual Result<PastRun> find(std::int64_t number) = 0;
};

}  // namespace trainctl::work
