// The one interface by which a log passes from stage to stage: a tail reads one run into a sink,
// the sources pass the runs of all replicas on, and the last sink shows and saves them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "base/text/time.h"
#include "kube/stream/log_stream.h"
#include "manifest/kind/replica.h"

namespace trainctl::job {

// Identifies who wrote a line.
struct LogOrigin {
  ReplicaId replica;
  std::optional<int> rank;
  std::string container;
  int attempt = 1;      // 1 = the first run of the replica's container, over all its pods
  bool printed = true;  // false: read only to be saved
  RunId run = {};
};

class LogSink {
 public:
  virtual ~LogSink() = default;

  // The log of this run can be read. Called again when it is requested again.
  virtual void on_open(const LogOrigin&) {}
  virtual void on_line(const LogOrigin&, const kube::LogLine&) = 0;
  // The new states of a line that is being rewritten in place, such as a progress bar, with
  // carriage returns between them.
  virtual void on_progress(const LogOrigin&, std::string_view /*states*/) {}
  virtual void on_notice(const std::string& notice) = 0;
  // Says how to end an attempt that fails again and again.
  virtual void on_hint(const std::string& hint) { on_notice("hint: " + hint); }
  virtual void on_gap(const std::string& gap) = 0;  // lines may be missing
  // An attempt to read failed, and the next follows after `wait`.
  virtual void on_trouble(const LogOrigin&, const Error& /*why*/, Duration /*wait*/) {}
  // The whole log of this run came, or (with an error) it cannot be read; other logs are read on.
  virtual void on_done(const LogOrigin&, const Status&) = 0;
  // No log is being read any more.
  virtual void on_idle() {}
};

}  // namespace trainctl::job
