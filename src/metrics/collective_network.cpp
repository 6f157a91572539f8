// NCCL says so much only with NCCL_DEBUG=INFO, and its version with NCCL_DEBUG=VERSION.
#include "metrics/collective_network.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

bool holds(std::string_view line, std::string_view words) {
  return line.find(words) != std::string_view::npos;
}

// "eth0" in "NET/Socket : Using [0]eth0:10.0.0.5<0>" and in "Bootstrap : Using eth0:10.0.0.5<0>".
std::string_view interface_in(std::string_view line) {
  auto at = line.find("NET/Socket");
  if (at == std::string_view::npos) at = line.find("Bootstrap");
  if (at == std::string_view::npos) return "";
  line.remove_prefix(at);
  if (!holds(line, "Using ")) return "";
  std::string_view rest = behind(line, "Using ");
  if (rest.starts_with('[')) rest = behind(rest, "]");
  return rest.substr(0, rest.find_first_of(":< "));
}

bool names_tcp(std::string_view line) {
  return holds(line, "Using network Socket") || holds(line, "via NET/Socket") ||
         holds(line, "Assigned NET plugin Socket") ||
         (holds(line, "NET/Socket") && !interface_in(line).empty());
}

bool names_loopback_of_gloo(std::string_view line) {
  return (holds(line, "gloo") || holds(line, "Gloo")) &&
         (holds(line, "the loopback address") || holds(line, "remote=[127."));
}

// "2.21.5+cuda12.4". Messages of errors name a version without the part of CUDA.
std::string version_in(std::string_view line) {
  constexpr std::size_t k_longest = 40;
  constexpr std::string_view k_mark = "NCCL version ";
  if (!holds(line, k_mark)) return "";
  const std::string_view rest = behind(line, k_mark);
  const auto end = std::ranges::find_if_not(
      rest, [](char c) { return is_letter_or_digit(c) || c == '.' || c == '+' || c == '-'; });
  const std::string version(rest.begin(), end);
  const bool is_one = !version.empty() && is_digit(version[0]) && holds(version, "+");
  return is_one && version.size() <= k_longest ? version : "";
}

}  // namespace

bool CollectiveNetwork::take(const ReplicaId& replica, std::string_view line) {
  const bool is_nccl = holds(line, "NCCL");
  if (!is_nccl && !holds(line, "loo")) return false;  // gloo, Gloo
  if (!is_nccl || holds(line, "Gloo")) {
    if (unreachable_ || !names_loopback_of_gloo(line)) return false;
    unreachable_ = {replica, ""};
    return true;
  }
  bool is_new = false;
  if (!is_tcp_ && names_tcp(line)) is_tcp_ = is_new = true;
  const std::string_view interface = interface_in(line);
  if (!unreachable_ && (interface == "lo" || interface == "docker0")) {
    unreachable_ = {replica, std::string(interface)};
    is_new = true;
  }
  if (std::string version = version_in(line); !version.empty()) {
    std::string& known = versions_[replica];
    is_new = is_new || known != version;
    known = std::move(version);
  }
  return is_new;
}

std::vector<std::string> CollectiveNetwork::faults(bool spans_nodes) const {
  std::vector<std::string> all;
  if (spans_nodes && unreachable_) {
    const auto& [replica, interface] = *unreachable_;
    const std::string_view library = interface.empty() ? "gloo" : "NCCL";
    all.push_back(cat(library, " of ", replica.name(), " uses ",
                      interface.empty() ? "the loopback address" : interface,
                      ", which other nodes cannot reach: set --env ",
                      interface.empty() ? "GLOO" : "NCCL", "_SOCKET_IFNAME=eth0"));
  }
  if (spans_nodes && is_tcp_) {
    all.emplace_back(
        "NCCL talks over TCP (Socket), not InfiniBand: look at the pods' rdma resource "
        "(--extended-resource), NCCL_IB_HCA and NCCL_SOCKET_IFNAME");
  }
  const auto other = std::ranges::find_if(
      versions_, [this](const auto& one) { return one.second != versions_.begin()->second; });
  if (other != versions_.end()) {
    const auto& [first, version] = *versions_.begin();
    all.push_back(cat("NCCL versions differ: ", version, " in ", first.name(), ", ", other->second,
                      " in ", other->first.name(), "; give all replicas one image"));
  }
  return all;
}

}  // namespace trainctl::job
