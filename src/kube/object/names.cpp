// Checks character classes and lengths of Kubernetes names.
#include "kube/object/names.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainctl::kube {

namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_lower_or_digit(char c) {
  return is_lower(c) || is_digit(c);
}
bool is_label_character(char c) {
  return is_lower_or_digit(c) || c == '-';
}
bool is_subdomain_character(char c) {
  return is_label_character(c) || c == '.';
}
bool is_name_character(char c) {
  return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
}

}  // namespace

const NameRule k_dns_label = {63, is_label_character, is_lower_or_digit, is_lower_or_digit};
const NameRule k_dns_1035 = {63, is_label_character, is_lower, is_lower_or_digit};
const NameRule k_dns_subdomain = {253, is_subdomain_character, is_lower_or_digit, is_lower_or_digit,
                                  true};
const NameRule k_name_part = {63, is_name_character, is_letter_or_digit, is_letter_or_digit};
const NameRule k_config_key = {253, is_name_character, is_name_character, is_name_character};

bool NameRule::holds_all_of(std::string_view text) const {
  return std::ranges::all_of(text, holds);
}

bool NameRule::is_form_of(std::string_view text) const {
  if (!holds_all_of(text)) return false;
  for (;;) {
    const auto end = by_parts ? text.find('.') : std::string_view::npos;
    const std::string_view part = text.substr(0, end);
    if (part.empty() || !begins(part.front()) || !ends(part.back())) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

std::string generated_tail(const std::string& unique) {
  return unique.size() <= k_generated_tail ? unique
                                           : unique.substr(unique.size() - k_generated_tail);
}

}  // namespace trainctl::kube
