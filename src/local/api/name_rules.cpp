// Names, label keys and values, judged in apimachinery's words.
#include "local/api/name_rules.h"

#include "base/text/text.h"
#include "kube/object/names.h"

namespace trainctl::local {

namespace {

constexpr std::string_view k_label_pattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view k_1035_pattern = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view k_name_pattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

// Returns the faults of length, with which each list of faults begins.
std::vector<std::string> length_faults(const kube::NameRule& rule, std::string_view text) {
  if (text.size() <= rule.longest) return {};
  return {cat("must be no more than ", rule.longest, " characters")};
}

// apimachinery's RegexError, with its blanks.
std::string pattern_fault(std::string_view message, std::string_view pattern,
                          const std::vector<std::string_view>& examples) {
  std::string text = cat(message, " (e.g. ");
  for (std::size_t i = 0; i < examples.size(); ++i) {
    text += cat(i > 0 ? " or " : "", '\'', examples[i], "', ");
  }
  return cat(text, "regex used for validation is '", pattern, "')");
}

std::string name_fault(std::string_view intro) {
  return pattern_fault(cat(intro,
                           "must consist of alphanumeric characters, '-', '_' or '.', and must "
                           "start and end with an alphanumeric character"),
                       k_name_pattern, {"MyName", "my.name", "123-abc"});
}

}  // namespace

std::vector<std::string> dns_subdomain_faults(std::string_view text) {
  std::vector<std::string> faults = length_faults(kube::k_dns_subdomain, text);
  if (kube::k_dns_subdomain.is_form_of(text)) return faults;
  faults.push_back(pattern_fault(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
      "'.', and must start and end with an alphanumeric character",
      cat(k_label_pattern, "(\\.", k_label_pattern, ")*"), {"example.com"}));
  return faults;
}

std::vector<std::string> dns_label_faults(std::string_view text) {
  std::vector<std::string> faults = length_faults(kube::k_dns_label, text);
  if (kube::k_dns_label.is_form_of(text)) return faults;
  if (kube::k_dns_subdomain.is_form_of(text)) {
    faults.emplace_back("must not contain dots");
    return faults;
  }
  faults.push_back(pattern_fault(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
      "must start and end with an alphanumeric character",
      k_label_pattern, {"my-name", "123-abc"}));
  return faults;
}

std::vector<std::string> dns_1035_faults(std::string_view text) {
  std::vector<std::string> faults = length_faults(kube::k_dns_1035, text);
  if (kube::k_dns_1035.is_form_of(text)) return faults;
  faults.push_back(pattern_fault(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
      "alphabetic character, and end with an alphanumeric character",
      k_1035_pattern, {"my-name", "abc-123"}));
  return faults;
}

std::vector<std::string> qualified_name_faults(std::string_view key) {
  const std::vector<std::string> parts = split(key, '/');
  std::vector<std::string> faults;
  if (parts.size() > 2) {
    return {cat(name_fault("a qualified name "),
                " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")};
  }
  if (parts.size() == 2 && parts[0].empty()) faults.emplace_back("prefix part must be non-empty");
  if (parts.size() == 2 && !parts[0].empty()) {
    for (const std::string& fault : dns_subdomain_faults(parts[0])) {
      faults.push_back("prefix part " + fault);
    }
  }
  const std::string& name = parts.back();
  if (name.empty()) faults.emplace_back("name part must be non-empty");
  for (const std::string& fault : length_faults(kube::k_name_part, name)) {
    faults.push_back("name part " + fault);
  }
  if (!kube::k_name_part.is_form_of(name)) faults.push_back(name_fault("name part "));
  return faults;
}

std::vector<std::string> label_value_faults(std::string_view text) {
  std::vector<std::string> faults = length_faults(kube::k_name_part, text);
  if (text.empty() || kube::k_name_part.is_form_of(text)) return faults;
  faults.push_back(pattern_fault(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
      "'.', and must start and end with an alphanumeric character",
      cat("(", k_name_pattern, ")?"), {"MyValue", "my_value", "12345"}));
  return faults;
}

std::vector<std::string> config_key_faults(std::string_view text) {
  std::vector<std::string> faults = length_faults(kube::k_config_key, text);
  if (!kube::k_config_key.is_form_of(text)) {
    faults.push_back(
        pattern_fault("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                      "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
  }
  if (text == ".") faults.emplace_back("must not be '.'");
  if (text == "..") {
    faults.emplace_back("must not be '..'");
  } else if (text.starts_with("..")) {
    faults.emplace_back("must not start with '..'");
  }
  return faults;
}

}  // namespace trainctl::local
