// Judges by the rule of `env` and `describe`, so that what they show as *** has been warned about.
#include "job/manifest/plain_credentials.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "base/text/text.h"
#include "job/manifest/credential_name.h"
#include "job/manifest/secrets.h"

namespace trainctl::job {
namespace {

struct Found {
  std::set<std::string> variables;
  bool is_in_arguments = false;
};

// The length of "$(NAME)", "${NAME}" or "$NAME" at the beginning of the text; 0 = there is none.
std::size_t reference_length(std::string_view text) {
  std::size_t at = std::min(text.find_first_not_of('$'), text.size());
  if (at == 0 || at == text.size()) return 0;
  if (text[at] == '(' || text[at] == '{') {
    const std::size_t close = text.find(text[at] == '(' ? ')' : '}', at);
    return close == std::string_view::npos ? 0 : close + 1;
  }
  const std::size_t name = at;
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  while (at < text.size() && is_of_name(text[at])) ++at;
  return at == name ? 0 : at;
}

// The text without references, and without the punctuation of a user in a URL that was only those.
std::string without_references(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (const std::size_t length = reference_length(text)) {
      text.remove_prefix(length);
      continue;
    }
    const bool ends_user = text.front() == ':' || text.front() == '@';
    if (!ends_user || !plain.ends_with("://")) plain += text.front();
    text.remove_prefix(1);
  }
  return plain;
}

void search_variables(const Json& container, Found& found) {
  for (const Json& variable : array_at(container, "/env")) {
    const std::string name = text_at(variable, "/name");
    const std::string value = text_at(variable, "/value");
    // Refers to a variable that may come from a secret.
    const bool refers = value.starts_with("$(");
    const std::string plain = without_references(value);
    const bool is_named = !refers && !value.empty() && looks_like_credential(name);
    if (is_named || text_without_secrets(plain) != plain) found.variables.insert(name);
  }
}

// What follows a flag such as --token is its value, unless it is the next flag.
void search_words(const Json& words, Found& found) {
  Json plain = Json::array();
  for (const Json& word : words) {
    plain.push_back(word.is_string() ? Json(without_references(word.get<std::string>())) : word);
  }
  const Json clean = without_secrets(plain);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (!plain[i].is_string() || plain[i] == clean[i]) continue;
    const auto& word = plain[i].get_ref<const std::string&>();
    const bool is_next_flag = word.starts_with('-') && text_without_secrets(word) == word;
    if (!word.empty() && !is_next_flag) found.is_in_arguments = true;
  }
}

void search(const Json& container, Found& found) {
  search_variables(container, found);
  search_words(array_at(container, "/command"), found);
  search_words(array_at(container, "/args"), found);
}

// "variable A", "variables A, B and an argument"
std::string subject(const Found& found) {
  const std::vector<std::string> names(found.variables.begin(), found.variables.end());
  std::string text;
  if (!names.empty()) {
    text = printable_line(cat(names.size() == 1 ? "variable " : "variables ", join(names, ", ")));
  }
  if (!found.is_in_arguments) return text;
  return text.empty() ? "an argument" : cat(text, " and an argument");
}

}  // namespace

std::string plain_credentials_warning(const std::vector<Replica>& replicas, const Json& program) {
  Found found;
  for (const Replica& replica : replicas) {
    for (const Json& container : array_at(*replica.spec, "/template/spec/containers")) {
      search(container, found);
    }
  }
  search(program, found);
  const std::size_t count = found.variables.size() + (found.is_in_arguments ? 1 : 0);
  if (count == 0) return "";
  const bool is_one = count == 1;
  const std::string name =
      is_one && !found.is_in_arguments ? printable_line(*found.variables.begin()) : "VAR";
  return cat(subject(found), is_one ? " looks" : " look", " like ",
             is_one ? "a credential and is" : "credentials and are", " readable in the job; keep ",
             is_one ? "it" : "them", " in a secret: --env-secret ", name, "=SECRET:KEY",
             found.is_in_arguments ? "; with --expand, write $(VAR) in the argument" : "");
}

}  // namespace trainctl::job
