// Scripted answers to log requests, and a LogTail that follows them to the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/logs/log_tail.h"
#include "support/fake_cluster.h"

namespace trainctl::testing {

using Lines = std::vector<std::string>;

// The stamp of a moment so many seconds after 2026-01-02T03:04:05Z.
std::string stamp(double second);
std::string line(double second, std::string_view text);

// One answer to a log request: what it sends and how it ends.
Exchange log_answer(std::string data, std::string ending = "", Duration ends_after = {},
                    std::vector<std::pair<std::string, std::string>> query = {});
// The whole rest, however often it is asked for.
Exchange rest_answer(std::string data);
// None: there is no connection.
Exchange unreachable();
// What a list says of the pod: which run of its container is the current one, and which was before.
Exchange pod_list(std::string_view current, std::string_view previous = "");
// What the node says of the run before the current one: its last line; "" = there was none.
Exchange run_before(std::string last_line);

struct Reading {
  Lines lines;
  Lines notices;
  std::optional<Status> outcome;
  job::Handover handover;
};

struct Following {
  std::optional<double> ends_at = {};  // when a status says so: a second after it began
  job::RunEnd end = {};                // and what it says
  job::TailTask task = {};             // its target is the pod of the scripted answers
};

// Reads to the end.
Reading follow(FakeCluster& cluster, Following following);
// Follows a container that ends, and is not restarted.
Reading follow(FakeCluster& cluster, double ends_at);

}  // namespace trainctl::testing
