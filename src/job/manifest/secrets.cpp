// Judges by names and by beginnings of tokens. A text that it takes for a secret by mistake is
// missing in what `env` and `describe` show a reader, and in the history with --history-values.
#include "job/manifest/secrets.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "job/manifest/credential_name.h"

namespace trainctl::job {
namespace {

// Tokens of known services begin like this; a shorter text is not a token.
constexpr std::array<std::string_view, 16> k_token_beginnings = {
    "hf_",   "ghp_",  "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "sk-",
    "xoxb-", "xoxp-", "AKIA", "ASIA", "eyJ",  "dop_v1_",     "nvapi-", "npm_"};
constexpr std::size_t k_shortest_token = 16;

constexpr std::string_view k_blanks_and_quotes = " \t\r\n\"'`;|&()<>,";

bool is_token(std::string_view word) {
  return word.size() >= k_shortest_token &&
         std::ranges::any_of(k_token_beginnings,
                             [word](std::string_view begin) { return word.starts_with(begin); });
}

// True for https://$(TOKEN)@host, which only names the variable.
bool is_user_referred_to(std::string_view url) {
  url.remove_prefix(url.find("://") + 3);
  const std::string_view user = url.substr(0, url.rfind('@'));
  return user.starts_with("$(") && user.find(')') == user.size() - 1;
}

std::string word_without_secrets(std::string_view word) {
  if (is_token(word)) return std::string(k_left_out);
  const std::size_t equals = word.find('='), scheme = word.find("://");
  if (equals < scheme && equals + 1 < word.size()) {
    const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
    // The value behind each '=' may be a secret: --env=TOKEN=x.
    return cat(name, '=',
               looks_like_credential(name) ? std::string(k_left_out) : word_without_secrets(value));
  }
  const bool has_url = scheme != std::string_view::npos;
  return has_url && !is_user_referred_to(word) ? masked_user_info(word) : std::string(word);
}

// True for `-u ada:secret`, as curl and many clients take user and password.
bool is_user_and_password(std::string_view before, std::string_view word) {
  const std::size_t colon = word.find(':');
  return (before == "-u" || before == "--user") && colon != std::string_view::npos && colon > 0 &&
         colon + 1 < word.size();
}

// True for a word whose successor in a text is a secret: `Bearer`, `X-Api-Key:`, `--password`.
bool announces_secret(std::string_view word) {
  const std::string scheme = lower(word);
  if (scheme == "bearer" || scheme == "basic") return true;
  const bool is_name =
      word.ends_with(':') || (word.starts_with("--") && word.find('=') == std::string_view::npos);
  return is_name && looks_like_credential(word);
}

bool is_variable(const Json& value) {
  return find(value, "/name") != nullptr && value["name"].is_string() &&
         find(value, "/value") != nullptr && value["value"].is_string();
}

bool is_secret_flag(std::string_view text) {
  return text.starts_with("--") && text.find('=') == std::string_view::npos &&
         looks_like_credential(text);
}

// The member `key` of a reference names a value, and holds none.
bool is_secret_member(std::string_view name) {
  return name != "key" && looks_like_credential(name);
}

Json cleaned(const Json& value);

Json cleaned_list(const Json& list) {
  Json clean = Json::array();
  std::string before;
  for (const Json& element : list) {
    const std::string word = element.is_string() ? element.get<std::string>() : "";
    const bool is_secret = is_secret_flag(before) || is_user_and_password(before, word);
    clean.push_back(is_secret && element.is_string() ? Json(k_left_out) : cleaned(element));
    before = word;
  }
  return clean;
}

Json cleaned_object(const Json& object) {
  const bool is_secret = is_variable(object) && looks_like_credential(view_at(object, "/name"));
  Json clean = Json::object();
  for (const auto& [key, value] : object.items()) {
    const bool leave_out =
        (is_secret && key == "value") || (value.is_string() && is_secret_member(key));
    clean[key] = leave_out ? Json(k_left_out) : cleaned(value);
  }
  return clean;
}

Json cleaned(const Json& value) {
  if (value.is_object()) return cleaned_object(value);
  if (value.is_array()) return cleaned_list(value);
  return value.is_string() ? Json(text_without_secrets(value.get_ref<const std::string&>()))
                           : value;
}

}  // namespace

std::string text_without_secrets(std::string_view text) {
  constexpr std::string_view k_key_begins = "-----BEGIN ";
  if (text.find(k_key_begins) != std::string_view::npos) return std::string(k_left_out);
  std::string clean;
  std::string before;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_not_of(k_blanks_and_quotes), text.size());
    clean += text.substr(0, begin);
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(k_blanks_and_quotes), text.size());
    const std::string_view word = text.substr(0, end);
    const bool is_announced = announces_secret(before) && !word.empty() && word != ":";
    clean += is_announced || is_user_and_password(before, word) ? std::string(k_left_out)
                                                                : word_without_secrets(word);
    // In JSON the colon stands behind the quotes of its name.
    before = word == ":" ? before + ':' : std::string(word);
    text.remove_prefix(end);
  }
  return clean;
}

std::string value_without_secrets(std::string_view variable, std::string_view value) {
  if (value.empty()) return "";
  return looks_like_credential(variable) ? std::string(k_left_out) : text_without_secrets(value);
}

Json without_secrets(const Json& manifest) {
  return cleaned(manifest);
}

}  // namespace trainctl::job
