// Scripted answers to log requests, and a LogTail that follows them to the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logs/log_tail.h"
#include "support/fake_cluster.h"

namespace trainctl::testing {

using Lines = std::vector<std::string>;

// The stamp of the time `second` seconds after 2026-01-02T03:04:05Z.
std::string stamp(double second);
std::string line(double second, std::string_view text);

// One answer to a log request: what it sends and how it ends.
Exchange log_answer(std::string data, std::string ending = "", Duration ends_after = {},
                    std::vector<std::pair<std::string, std::string>> query = {});
// Answers any number of requests with the rest of the log.
Exchange rest_answer(std::string data);
// No answer: there is no connection.
Exchange unreachable();
// A list with the pod: its container's current run, and the one before.
Exchange pod_list(std::string_view current, std::string_view previous = "");
// The node's log of the run before the current one: its last line; "" = there was none.
Exchange run_before(std::string last_line);

struct TailReading : job::LogSink {
  Lines lines;
  Lines notices;  // and gaps and troubles
  std::optional<Status> outcome;
  job::Handover handover;

  void on_line(const job::LogOrigin&, const kube::LogLine& line) override {
    lines.emplace_back(line.text);
  }
  void on_notice(const std::string& notice) override { notices.push_back(notice); }
  void on_gap(const std::string& gap) override { notices.push_back(gap); }
  void on_trouble(const job::LogOrigin&, const Error& why, Duration) override {
    notices.push_back(why.message);
  }
  void on_done(const job::LogOrigin&, const Status& status) override { outcome = status; }
};

struct Following {
  // When a status reports the end: one second after the beginning.
  std::optional<double> ends_at = {};
  job::RunEnd end = {};     // the end it reports
  job::TailTask task = {};  // its target is the pod of the scripted answers
};

// Reads the log to its end.
TailReading follow(FakeCluster& cluster, Following following);
// Follows a container that ends, and is not restarted.
TailReading follow(FakeCluster& cluster, double ends_at);

}  // namespace trainctl::testing
