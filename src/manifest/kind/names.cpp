// Says in plain words what is wrong with a name.
#include "manifest/kind/names.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/names.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

namespace {

std::string length_fault(std::string_view text, std::size_t limit) {
  if (text.empty()) return "must not be empty";
  if (text.size() <= limit) return "";
  return cat("has ", text.size(), " characters; at most ", limit, " are allowed");
}

std::string fault_of(const kube::NameRule& rule, std::string_view text, std::string_view characters,
                     std::string_view ends) {
  if (auto fault = length_fault(text, rule.longest); !fault.empty()) return fault;
  if (!rule.holds_all_of(text)) return cat("may hold only ", characters);
  return rule.is_form_of(text) ? "" : std::string(ends);
}

std::string name_part_fault(std::string_view text) {
  return fault_of(kube::k_name_part, text, "letters, digits, '-', '_' and '.'",
                  "must start and end with a letter or digit");
}

}  // namespace

std::string dns_label_fault(std::string_view text) {
  return fault_of(kube::k_dns_label, text, "lower-case letters, digits and '-'",
                  "must not start or end with '-'");
}

std::string port_name_fault(std::string_view text) {
  if (text.size() > 15) return "has more than the 15 characters of a port name";
  return dns_label_fault(text);
}

std::string object_name_fault(std::string_view text) {
  return fault_of(kube::k_dns_subdomain, text, "lower-case letters, digits, '-' and '.'",
                  "must start and end each part between dots with a letter or digit");
}

std::string job_name_fault(const Kind& kind, std::string_view text) {
  if (!kind.service_per_pod) return object_name_fault(text);
  if (auto fault = dns_label_fault(text); !fault.empty()) return fault;
  return kube::k_dns_1035.is_form_of(text) ? "" : "must start with a letter";
}

std::string job_name_like(const Kind& kind, std::string_view text) {
  std::string name = lower(text);
  std::ranges::replace_if(
      name, [](char c) { return c == '_' || c == '.' || c == ' '; }, '-');
  return job_name_fault(kind, name).empty() ? name : "";
}

std::string qualified_name_fault(std::string_view key) {
  const Halves halves = split_once(key, '/');
  if (!halves.found) return name_part_fault(key);
  if (auto fault = object_name_fault(halves.first); !fault.empty()) {
    return cat("has an invalid prefix: it ", fault);
  }
  return name_part_fault(halves.second);
}

std::string label_value_fault(std::string_view text) {
  return text.empty() ? "" : name_part_fault(text);
}

std::string data_key_fault(std::string_view key) {
  if (key == "." || key.starts_with("..")) return "must be neither '.' nor begin with '..'";
  return fault_of(kube::k_config_key, key, "letters, digits, '-', '_' and '.'", "");
}

// Kubernetes would take any printable characters but '=', a shell would not.
std::string variable_name_fault(std::string_view text) {
  if (text.empty()) return "must not be empty";
  if (!kube::k_name_part.holds_all_of(text)) {
    return "may hold only letters, digits, '_', '-' and '.'";
  }
  const bool digit = text.front() >= '0' && text.front() <= '9';
  return digit ? "must not start with a digit" : "";
}

std::string as_label_value(std::string_view text) {
  std::string value(text.substr(0, kube::k_name_part.longest));
  for (char& c : value) {
    if (!kube::k_name_part.holds(c)) c = '-';
  }
  while (!value.empty() && !kube::k_name_part.ends(value.back())) value.pop_back();
  const auto first = std::ranges::find_if(value, kube::k_name_part.begins);
  return {first, value.end()};
}

}  // namespace trainctl::job
