// NCCL says so much only with NCCL_DEBUG=INFO, and its version with NCCL_DEBUG=VERSION. Its lines
// begin with "HOST:PID:TID [GPU] NCCL INFO ", behind what launchers and loggers put in front.
#include "metrics/collective_network.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text/terminal_text.h"
#include "base/text/text.h"

namespace trainctl::job {
namespace {

constexpr std::size_t k_most_versions = 8;  // of a replica

bool holds(std::string_view line, std::string_view words) {
  return line.find(words) != std::string_view::npos;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// Cuts the next word off; blanks end it.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  return word;
}

// "gpu-7:71:90".
bool is_process(std::string_view word) {
  const std::size_t thread = word.rfind(':');
  if (thread == std::string_view::npos || !is_number(word.substr(thread + 1))) return false;
  const std::size_t process = word.substr(0, thread).rfind(':');
  if (process == std::string_view::npos || process == 0) return false;
  const auto is_of_host = [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_';
  };
  return std::ranges::all_of(word.substr(0, process), is_of_host) &&
         is_number(word.substr(process + 1, thread - process - 1));
}

// "2026-01-02", "03:04:05.123", "2026-01-02T03:04:05Z", each perhaps with a bracket.
bool is_part_of_time(std::string_view word) {
  static constexpr std::string_view k_others = "-:.,+TZ[]";
  return std::ranges::count_if(word, is_digit) >= 4 && std::ranges::all_of(word, [](char c) {
           return is_digit(c) || k_others.find(c) != std::string_view::npos;
         });
}

// "[rank0]:", "[default0]:" of torchrun, "[1,0]<stdout>:" of mpirun. PyTorch's own lines may follow
// without a blank.
std::size_t tag_of_launcher(std::string_view line) {
  if (!line.starts_with('[')) return 0;
  std::size_t at = 1;
  for (const std::string_view name : {"rank", "default"}) {
    if (line.substr(1).starts_with(name)) at += name.size();
  }
  const std::size_t number = at;
  while (at < line.size() && (is_digit(line[at]) || line[at] == ',')) ++at;
  if (at == number) return 0;
  for (const std::string_view end : {"]:", "]<stdout>:", "]<stderr>:"}) {
    if (line.substr(at).starts_with(end)) return at + end.size();
  }
  return 0;
}

// The line without one of the parts that stand in front of a program's own text; unchanged when
// there is none.
std::string_view without_prefix(std::string_view line) {
  if (const std::size_t size = tag_of_launcher(line); size > 0) {
    line.remove_prefix(size);
    return line.substr(std::min(line.find_first_not_of(' '), line.size()));
  }
  std::string_view rest = line;
  return is_part_of_time(take_word(rest)) ? rest : line;
}

// NCCL's words, in a line of its own.
std::optional<std::string_view> nccl_message(std::string_view line) {
  constexpr std::string_view k_info = "NCCL INFO ";
  constexpr std::string_view k_warn = "NCCL WARN ";
  if (!is_process(take_word(line))) return std::nullopt;
  const std::string_view gpu = take_word(line);
  if (gpu.size() < 3 || gpu.front() != '[' || gpu.back() != ']') return std::nullopt;
  if (line.starts_with(k_info)) return line.substr(k_info.size());
  // A place in NCCL's source stands before: "misc/socket.cc:58 (connect) NCCL WARN".
  const std::size_t warning = line.find(k_warn);
  if (warning == std::string_view::npos) return std::nullopt;
  return line.substr(warning + k_warn.size());
}

// "NCCL version 2.21.5+cuda12.4", which stands alone with NCCL_DEBUG=VERSION or WARN.
std::string version_in(std::string_view message) {
  constexpr std::size_t k_longest = 40;
  constexpr std::string_view k_mark = "NCCL version ";
  if (!message.starts_with(k_mark)) return "";
  const std::string_view version = trim(message.substr(k_mark.size()));
  const bool is_one = version.size() <= k_longest && !version.empty() && is_digit(version[0]) &&
                      is_letter_or_digit(version.back()) && holds(version, "+") &&
                      std::ranges::all_of(version, [](char c) {
                        return is_letter_or_digit(c) || c == '.' || c == '+' || c == '-';
                      });
  return is_one ? std::string(version) : "";
}

// "[0]eth0:10.0.0.5<0> [1]docker0:172.17.0.1<0>" of "NET/Socket : Using …" and of "Bootstrap :
// Using …".
std::vector<std::string_view> interfaces_in(std::string_view message) {
  const bool lists_some = message.starts_with("NET/Socket") || message.starts_with("Bootstrap");
  if (!lists_some || !holds(message, "Using ")) return {};
  std::vector<std::string_view> names;
  std::string_view rest = behind(message, "Using ");
  while (!rest.empty()) {
    std::string_view word = take_word(rest);
    if (!holds(word, "<")) continue;
    if (word.starts_with('[')) word = behind(word, "]");
    names.push_back(word.substr(0, word.find(':')));
  }
  return names;
}

// The network that carries NCCL's data: "Socket", "IB", "AWS"; "" when the message names none.
std::string_view network_in(std::string_view message) {
  for (const std::string_view mark : {"Using network ", " via NET/", "Assigned NET plugin "}) {
    if (!holds(message, mark)) continue;
    const std::string_view rest = behind(message, mark);
    return rest.substr(0, rest.find_first_of(" /"));
  }
  if (message.starts_with("NET/Socket")) return interfaces_in(message).empty() ? "" : "Socket";
  return "";
}

// Marks of PyTorch's warning, and of gloo's own error, which an exception brings.
bool names_loopback_of_gloo(std::string_view line) {
  if (line.starts_with("[W")) {
    return holds(line.substr(0, line.find(']')), "ProcessGroupGloo") &&
           holds(line, "] Warning: ") && holds(line, "the loopback address");
  }
  constexpr std::string_view k_error = "RuntimeError: ";
  if (line.starts_with(k_error)) line.remove_prefix(k_error.size());
  return line.starts_with('[') && holds(line.substr(0, line.find(']')), "/gloo/transport/") &&
         holds(line, "remote=[127.");
}

// "worker-0, worker-1"; "all replicas" where all of several that have spoken are meant.
std::string names_of(const std::vector<std::string>& some, std::size_t all) {
  return some.size() == all && all > 1 ? "all replicas" : some_of(some);
}

std::string unreachable_words(std::string_view library, std::string_view variable,
                              std::string_view interface, const std::string& replicas) {
  return cat(library, " of ", replicas, " uses ", interface,
             ", which other nodes cannot reach: set --env ", variable, "_SOCKET_IFNAME=eth0");
}

}  // namespace

void CollectiveNetwork::read_nccl(std::string_view message, Said& said) {
  const std::string_view network = network_in(message);
  if (network == "Socket") said.uses_tcp = true;
  if (!network.empty() && network != "Socket") said.uses_other = true;
  for (const std::string_view interface : interfaces_in(message)) {
    said.names_interface = true;
    if (interface == "lo" || interface == "docker0") said.unreachable = interface;
  }
  if (std::string version = version_in(message);
      !version.empty() && said.versions.size() < k_most_versions) {
    said.versions.insert(std::move(version));
  }
}

bool CollectiveNetwork::take(const ReplicaId& replica, std::string_view line) {
  if (!holds(line, "NCCL") && !holds(line, "loo")) return false;  // gloo, Gloo
  constexpr int k_most_prefixes = 6;
  const auto known = said_.find(replica);
  const Said before = known == said_.end() ? Said{} : known->second;
  Said said = before;
  for (int prefixes = 0; prefixes <= k_most_prefixes; ++prefixes) {
    const bool is_version = !version_in(line).empty();
    const auto message = is_version ? line : nccl_message(line);
    if (message) read_nccl(*message, said);
    if (names_loopback_of_gloo(line)) said.gloo_is_unreachable = true;
    const std::string_view rest = without_prefix(line);
    if (message || rest.size() == line.size()) break;
    line = rest;
  }
  if (said == before) return false;
  said_.insert_or_assign(replica, std::move(said));
  return true;
}

void CollectiveNetwork::add_unreachable(std::vector<NetworkFault>& all) const {
  std::vector<std::string> of_nccl, of_gloo;
  std::string_view interface;
  for (const auto& [replica, said] : said_) {
    if (said.gloo_is_unreachable) of_gloo.push_back(replica.name());
    if (said.unreachable.empty()) continue;
    if (interface.empty()) interface = said.unreachable;
    if (said.unreachable == interface) of_nccl.push_back(replica.name());
  }
  const auto speak = static_cast<std::size_t>(
      std::ranges::count_if(said_, [](const auto& entry) { return entry.second.names_interface; }));
  if (!of_nccl.empty()) {
    all.push_back({NetworkFault::Kind::unreachable,
                   unreachable_words("NCCL", "NCCL", interface, names_of(of_nccl, speak))});
  } else if (!of_gloo.empty()) {
    // Nobody hears from a gloo that has found an interface.
    all.push_back({NetworkFault::Kind::unreachable,
                   unreachable_words("gloo", "GLOO", "the loopback address", some_of(of_gloo))});
  }
}

void CollectiveNetwork::add_tcp(std::vector<NetworkFault>& all) const {
  constexpr std::string_view k_remedy =
      "look at the pods' rdma resource (--extended-resource), NCCL_IB_HCA and NCCL_SOCKET_IFNAME";
  std::vector<std::string> names;
  bool has_others = false, has_reachable = false;
  for (const auto& [replica, said] : said_) {
    if (said.uses_tcp) names.push_back(replica.name());
    if (said.uses_tcp && said.unreachable.empty()) has_reachable = true;
    if (said.uses_other && !said.uses_tcp) has_others = true;
  }
  // A wrong interface is named already, and explains TCP.
  if (!has_reachable) return;
  const std::string who = has_others
                              ? cat("NCCL of ", some_of(names),
                                    " talks over TCP (Socket), unlike that of other replicas")
                              : "NCCL talks over TCP (Socket), not InfiniBand";
  all.push_back({NetworkFault::Kind::tcp, cat(who, ": ", k_remedy)});
}

// A replica prints several versions where several libraries bring one each, and not every rank
// prints all of them.
void CollectiveNetwork::add_versions(std::vector<NetworkFault>& all) const {
  const auto words = [](const std::set<std::string>& versions) {
    return join(std::vector<std::string>(versions.begin(), versions.end()), " and ");
  };
  const auto by_replica = [](const auto& a, const auto& b) { return *a.second < *b.second; };
  std::map<std::set<std::string>, const ReplicaId*> different;
  for (const auto& [replica, said] : said_) different.emplace(said.versions, &replica);
  for (auto one = different.begin(); one != different.end(); ++one) {
    for (auto other = std::next(one); other != different.end(); ++other) {
      const auto& [mine, me] = std::min(*one, *other, by_replica);
      const auto& [theirs, them] = std::max(*one, *other, by_replica);
      if (std::ranges::includes(mine, theirs) || std::ranges::includes(theirs, mine)) continue;
      all.push_back({NetworkFault::Kind::versions,
                     cat("NCCL versions differ: ", words(mine), " in ", me->name(), ", ",
                         words(theirs), " in ", them->name(), "; give all replicas one image")});
      return;
    }
  }
}

std::vector<NetworkFault> CollectiveNetwork::faults(bool spans_nodes) const {
  std::vector<NetworkFault> all;
  if (spans_nodes) {
    add_unreachable(all);
    add_tcp(all);
  }
  add_versions(all);
  return all;
}

std::string network_words(const std::vector<NetworkFault>& faults) {
  std::vector<std::string> words;
  for (const NetworkFault& fault : faults) words.push_back(fault.words);
  return join(words, "; ");
}

}  // namespace trainctl::job
