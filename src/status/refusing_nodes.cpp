// Each pod counts once, however often its node has tried.
#include "status/refusing_nodes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/text/text.h"
#include "status/exit_words.h"

namespace trainctl::job {
namespace {

constexpr int k_fewest_pods = 3;

bool keeps_from_starting(std::string_view reason, std::string_view message) {
  return reason == "FailedMount" || reason == "FailedCreatePodSandBox" ||
         message.find("failed to get device") != std::string_view::npos;
}

std::string node_of(const Json& event) {
  const std::string host = text_at(event, "/source/host");
  return host.empty() ? text_at(event, "/reportingInstance") : host;
}

struct PodsOfNodes {
  std::map<std::string, std::map<std::string, std::string>> refused;  // node, pod's uid: reason
  std::map<std::string, std::map<std::string, std::string>> stuck;    // the same: does not start
  std::map<std::string, std::string> started;                         // pod's uid: node
};

PodsOfNodes sorted(std::span<const Json> events, std::span<const Json> pods) {
  PodsOfNodes found;
  for (const Json& event : events) {
    const std::string node = node_of(event);
    const std::string uid = text_at(event, "/involvedObject/uid");
    if (node.empty() || uid.empty() || text_at(event, "/involvedObject/kind") != "Pod") continue;
    const std::string reason = text_at(event, "/reason");
    if (is_refusal_of_node(reason)) found.refused[node][uid] = reason;
    if (keeps_from_starting(reason, text_at(event, "/message"))) found.stuck[node][uid] = reason;
    if (reason == "Started") found.started[uid] = node;
  }
  for (const Json& pod : pods) {
    const std::string node = text_at(pod, "/spec/nodeName");
    const std::string reason = text_at(pod, "/status/reason");
    const bool is_refused = text_at(pod, "/status/phase") == "Failed" && is_refusal_of_node(reason);
    if (is_refused && !node.empty()) found.refused[node][text_at(pod, "/metadata/uid")] = reason;
  }
  return found;
}

// A pod whose volume came late has started after all.
void add_stuck(PodsOfNodes& found) {
  std::map<std::string, std::set<std::string>> nodes_with;  // a reason
  for (auto& [node, pods] : found.stuck) {
    std::erase_if(pods, [&](const auto& pod) { return found.started.contains(pod.first); });
    for (const auto& [uid, reason] : pods) nodes_with[reason].insert(node);
  }
  for (const auto& [node, pods] : found.stuck) {
    const bool others_start = std::ranges::any_of(
        found.started, [&node = node](const auto& one) { return one.second != node; });
    for (const auto& [uid, reason] : pods) {
      if (others_start && nodes_with[reason].size() == 1) found.refused[node].emplace(uid, reason);
    }
  }
}

}  // namespace

std::string RefusingNode::words() const {
  return printable_line(
      cat("node ", name, " has refused ", plural(pods, "pod"), " (", reason, ')'));
}

std::string RefusingNode::advice() const {
  return cat(words(), "; --exclude-node ", printable_line(name), " keeps jobs off it");
}

std::vector<RefusingNode> refusing_nodes(std::span<const Json> events, std::span<const Json> pods) {
  PodsOfNodes found = sorted(events, pods);
  add_stuck(found);
  std::vector<RefusingNode> nodes;
  for (const auto& [node, refused] : found.refused) {
    if (std::ssize(refused) < k_fewest_pods) continue;
    std::map<std::string, int> counts;
    for (const auto& [uid, reason] : refused) ++counts[reason];
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
    nodes.push_back({node, static_cast<int>(refused.size()), most->first});
  }
  std::ranges::stable_sort(nodes, std::ranges::greater(), &RefusingNode::pods);
  return nodes;
}

}  // namespace trainctl::job
