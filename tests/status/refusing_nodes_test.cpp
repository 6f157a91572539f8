// A node that refuses every pod is idle, so that the scheduler sends it the next one.
#include "status/refusing_nodes.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::job {
namespace refusing_nodes_test {

// "NODE POD REASON", as a kubelet's event or as the pod itself.
std::vector<Json> events_of(const std::vector<std::string>& lines) {
  std::vector<Json> events;
  for (const std::string& line : lines) {
    const std::vector<std::string> words = split(line, ' ');
    events.push_back({{"involvedObject", {{"kind", "Pod"}, {"uid", words[1]}}},
                      {"source", {{"host", words[0]}}},
                      {"reason", words[2]},
                      {"message", words.size() > 3 ? "failed to get device 3" : ""}});
  }
  return events;
}

Json failed_pod(const std::string& node, const std::string& uid, const std::string& reason) {
  return {{"metadata", {{"uid", uid}}},
          {"spec", {{"nodeName", node}}},
          {"status", {{"phase", "Failed"}, {"reason", reason}}}};
}

std::string words_of(const std::vector<Json>& events, const std::vector<Json>& pods = {}) {
  std::string words;
  for (const RefusingNode& node : refusing_nodes(events, pods)) {
    words += cat(words.empty() ? "" : "; ", node.name, ' ', node.pods, ' ', node.reason);
  }
  return words;
}

TEST_CASE("a node is blamed for three pods that it alone refuses, and for no one else's fault") {
  struct Row {
    std::string_view what;
    std::vector<std::string> events;
    std::string words;
  };
  const Row k_rows[] = {
      {"refused by its kubelet",
       {"a p1 UnexpectedAdmissionError", "a p2 UnexpectedAdmissionError", "a p3 OutOfcpu"},
       "a 3 UnexpectedAdmissionError"},
      {"two pods are chance", {"a p1 NodeAffinity", "a p2 NodeAffinity", "b p3 NodeAffinity"}, ""},
      {"one pod, again and again", {"a p1 OutOfcpu", "a p1 OutOfcpu", "a p1 OutOfcpu"}, ""},
      {"the worst comes first",
       {"a p1 OutOfcpu", "a p2 OutOfcpu", "a p3 OutOfcpu", "b q1 OutOfmemory", "b q2 OutOfmemory",
        "b q3 OutOfmemory", "b q4 OutOfmemory"},
       "b 4 OutOfmemory; a 3 OutOfcpu"},
      {"a mount that fails there alone",
       {"a p1 FailedMount", "a p2 FailedMount", "a p3 FailedMount", "b q Started"},
       "a 3 FailedMount"},
      {"a mount that fails elsewhere, too",
       {"a p1 FailedMount", "a p2 FailedMount", "a p3 FailedMount", "b r FailedMount",
        "b q Started"},
       ""},
      {"nothing starts anywhere", {"a p1 FailedMount", "a p2 FailedMount", "a p3 FailedMount"}, ""},
      {"a mount that came late",
       {"a p1 FailedMount", "a p2 FailedMount", "a p3 FailedMount", "a p3 Started", "b q Started"},
       ""},
      {"a device that is lost",
       {"a p1 Failed device", "a p2 Failed device", "a p3 Failed device", "b q Started"},
       "a 3 Failed"},
      {"a program that fails", {"a p1 BackOff", "a p2 BackOff", "a p3 BackOff", "b q Started"}, ""},
  };
  for (const Row& row : k_rows) {
    CAPTURE(row.what);
    CHECK(words_of(events_of(row.events)) == row.words);
  }
}

TEST_CASE("a refused pod counts as long as it stands, and once with its event") {
  const std::vector<Json> pods = {failed_pod("a", "p1", "OutOfnvidia.com/gpu"),
                                  failed_pod("a", "p2", "OutOfnvidia.com/gpu"),
                                  failed_pod("a", "p3", "Evicted")};
  CHECK(words_of({}, pods).empty());
  CHECK(words_of(events_of({"a p2 OutOfnvidia.com/gpu"}), pods).empty());
  CHECK(words_of(events_of({"a p4 OutOfnvidia.com/gpu"}), pods) == "a 3 OutOfnvidia.com/gpu");
}

}  // namespace refusing_nodes_test
}  // namespace trainctl::job
