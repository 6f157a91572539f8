// Character classes and lengths of the names Kubernetes knows.
#include "job/kind/names.h"

#include <algorithm>

#include "base/text.h"

namespace trainctl::job {

namespace {

constexpr std::size_t k_label_limit = 63;
constexpr std::size_t k_subdomain_limit = 253;

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alphanumeric(char c) {
  return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z');
}
bool is_lower_alphanumeric(char c) {
  return is_lower(c) || is_digit(c);
}

template <typename Allowed>
bool all(std::string_view text, Allowed allowed) {
  return std::all_of(text.begin(), text.end(), allowed);
}

std::string length_fault(std::string_view text, std::size_t limit) {
  if (text.empty()) return "must not be empty";
  if (text.size() <= limit) return "";
  return cat("has ", text.size(), " characters; at most ", limit, " are allowed");
}

// The part of label keys and values between its alphanumeric ends.
std::string name_part_fault(std::string_view text) {
  const auto allowed = [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  };
  if (!all(text, allowed)) return "may hold only letters, digits, '-', '_' and '.'";
  if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) {
    return "must start and end with a letter or digit";
  }
  return "";
}

}  // namespace

std::string dns_label_fault(std::string_view text) {
  if (auto fault = length_fault(text, k_label_limit); !fault.empty()) return fault;
  if (!all(text, [](char c) { return is_lower_alphanumeric(c) || c == '-'; })) {
    return "may hold only lower-case letters, digits and '-'";
  }
  if (text.front() == '-' || text.back() == '-') return "must not start or end with '-'";
  return "";
}

std::string service_name_fault(std::string_view text) {
  if (auto fault = dns_label_fault(text); !fault.empty()) return fault;
  return is_lower(text.front()) ? "" : "must start with a letter";
}

std::string object_name_fault(std::string_view text) {
  if (auto fault = length_fault(text, k_subdomain_limit); !fault.empty()) return fault;
  const auto allowed = [](char c) { return is_lower_alphanumeric(c) || c == '-' || c == '.'; };
  if (!all(text, allowed)) return "may hold only lower-case letters, digits, '-' and '.'";
  for (const std::string& part : split(text, '.')) {
    if (part.empty() || part.front() == '-' || part.back() == '-') {
      return "must start and end each part between dots with a letter or digit";
    }
  }
  return "";
}

std::string qualified_name_fault(std::string_view key) {
  const Halves halves = split_once(key, '/');
  if (halves.found) {
    if (auto fault = object_name_fault(halves.first); !fault.empty()) {
      return cat("has a prefix that ", fault);
    }
  }
  const std::string_view name = halves.found ? std::string_view(halves.second) : key;
  if (auto fault = length_fault(name, k_label_limit); !fault.empty()) return fault;
  return name_part_fault(name);
}

std::string label_value_fault(std::string_view text) {
  if (text.empty()) return "";
  if (auto fault = length_fault(text, k_label_limit); !fault.empty()) return fault;
  return name_part_fault(text);
}

std::string variable_name_fault(std::string_view text) {
  if (text.empty()) return "must not be empty";
  const auto allowed = [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  };
  if (!all(text, allowed)) return "may hold only letters, digits, '_', '-' and '.'";
  return is_digit(text.front()) ? "must not start with a digit" : "";
}

std::string as_label_value(std::string_view text) {
  std::string value(text.substr(0, k_label_limit));
  for (char& c : value) {
    if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.') c = '-';
  }
  while (!value.empty() && !is_alphanumeric(value.back())) value.pop_back();
  const auto first = std::find_if(value.begin(), value.end(), is_alphanumeric);
  return {first, value.end()};
}

}  // namespace trainctl::job
