// Finds addresses of services in texts and replaces them by addresses of this machine.
#include "local/kubelet/loopback.h"

#include <algorithm>
#include <charconv>

#include "base/text/text.h"

namespace trainctl::local {
namespace {

constexpr std::string_view k_loopback = "127.0.0.1";

bool is_host_character(char c) {
  return is_letter_or_digit(c) || c == '-' || c == '.';
}

// The service that a host name means; "" when it is none of this neighbourhood.
std::string_view service_of(std::string_view host, const Neighbourhood& around) {
  const std::size_t dot = host.find('.');
  const auto name = host.substr(0, dot);
  if (!around.services.contains(name)) return "";
  if (dot == std::string_view::npos) return name;
  const auto rest = host.substr(dot + 1);
  const std::string in_namespace = cat(around.ns, ".svc");
  const bool here =
      rest == around.ns || rest == in_namespace || rest.starts_with(cat(in_namespace, "."));
  return here ? name : "";
}

// True where an address may begin: a name in a path ("/out/ddp-worker-0") or in a longer word is no
// address, but behind "//" it is one.
bool may_begin(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  if (before == '/') return at >= 2 && text[at - 2] == '/';
  return before != '_' && before != '\\';
}

bool may_end(std::string_view text, std::size_t end) {
  return end == text.size() || text[end] != '_';
}

struct Port {
  int number = 0;
  std::size_t length = 0;  // including the colon; 0 = none
};
Port port_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != ':') return {};
  std::size_t end = at + 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == at + 1 || end - at > 6 || (end < text.size() && is_host_character(text[end]))) {
    return {};
  }
  Port port;
  std::from_chars(text.data() + at + 1, text.data() + end, port.number);
  if (port.number < 1 || port.number > 65535) return {};
  port.length = end - at;
  return port;
}

// The address's replacement; "" = keep it.
std::string place_of(std::string_view host, const Port& port, const Neighbourhood& around) {
  if (host == k_loopback && port.length > 0 && around.own_ports.contains(port.number)) {
    return cat(k_loopback, ":", around.local_port(around.own, port.number));
  }
  const auto service = service_of(host, around);
  if (service.empty()) return "";
  if (port.length == 0) return std::string(k_loopback);
  return cat(k_loopback, ":", around.local_port(service, port.number));
}

// A variable that holds a bare port, and the variable with its host (or hosts).
struct PortVariable {
  std::string_view port;
  std::string_view address;
};
constexpr PortVariable k_port_variables[] = {
    {"MASTER_PORT", "MASTER_ADDR"},
    {"PET_MASTER_PORT", "PET_MASTER_ADDR"},
    {"COORDINATOR_PORT", "COORDINATOR_ADDRESS"},
    {"WORKER_PORT", "WORKER_ADDRS"},
};

// The pod's own service if the list has it, since the pod listens there; else the first.
std::string service_among(std::string_view addresses, const Neighbourhood& around) {
  std::string first;
  for (const std::string& address : split(addresses, ',')) {
    const std::string service(service_of(address, around));
    if (!service.empty() && service == around.own) return service;
    if (first.empty()) first = service;
  }
  return first;
}

}  // namespace

void add_service(Neighbourhood& around, const Json& service, std::string_view pod) {
  const std::string name = text_at(service, "/metadata/name");
  around.services.insert(name);
  if (name != pod) return;
  around.own = name;
  for (const Json& port : array_at(service, "/spec/ports")) {
    around.own_ports.insert(static_cast<int>(int_at(port, "/port").value_or(0)));
  }
}

std::string localized(std::string_view text, const Neighbourhood& around) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_host_character(text[at])) {
      result += text[at];
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_host_character(text[end])) ++end;
    const auto host = text.substr(at, end - at);
    const Port port = port_at(text, end);
    const bool alone = may_begin(text, at) && may_end(text, end + port.length);
    const std::string place = alone ? place_of(host, port, around) : "";
    result += place.empty() ? std::string(host) : place;
    at = place.empty() ? end : end + port.length;
  }
  return result;
}

void localize_ports(Variables& variables, const Neighbourhood& around) {
  for (const auto& row : k_port_variables) {
    const auto port = variables.find(row.port);
    const auto address = variables.find(row.address);
    if (port == variables.end() || address == variables.end()) continue;
    const std::string service = service_among(address->second, around);
    const Port number = port_at(cat(":", port->second), 0);
    if (service.empty() || number.length == 0) continue;
    port->second = cat(around.local_port(service, number.number));
  }
}

void localize(Variables& variables, const Neighbourhood& around,
              const std::vector<std::string>& except) {
  for (auto& [name, value] : variables) {
    if (std::ranges::find(except, name) != except.end()) continue;
    value = localized(value, around);
  }
}

}  // namespace trainctl::local
