// Judges by names and by beginnings of tokens. A text that it takes for a secret by mistake is
// missing in what `env` and `describe` show a reader, and in the history with --history-values.
#include "manifest/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

// Endings of words in the names of variables that hold credentials. TOKENIZER and TOKENS do not
// match.
constexpr std::array<std::string_view, 6> k_secret_endings = {"TOKEN",  "SECRET",     "PASSWORD",
                                                              "PASSWD", "PASSPHRASE", "CREDENTIAL"};
// These match whole words only, so MONKEY does not match.
constexpr std::array<std::string_view, 10> k_secret_words = {
    "KEY",       "APIKEY", "ACCESSKEY", "SECRETKEY", "CREDENTIALS",
    "SIGNATURE", "SIG",    "SSHPASS",   "WEBHOOK",   "WEBHOOKS"};
// These match the last word only: PASS_COUNT and COOKIE_DOMAIN are not secret.
constexpr std::array<std::string_view, 6> k_secret_last_words = {"PASS",   "PWD",  "AUTH",
                                                                 "BEARER", "HOOK", "COOKIE"};
// Endings of the last word: PGPASS, MYTOK. These words have them by chance.
constexpr std::array<std::string_view, 2> k_secret_last_endings = {"PASS", "TOK"};
constexpr std::array<std::string_view, 3> k_harmless_last_words = {"BYPASS", "COMPASS", "TIKTOK"};
constexpr std::array<std::string_view, 3> k_path_words = {"FILE", "PATH", "DIR"};

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (!is_letter_or_digit(c)) {
      words.emplace_back();
    } else {
      words.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  return words;
}

// The colon of a header leaves an empty word at the end.
bool ends_as_secret(std::vector<std::string> words) {
  while (!words.empty() && words.back().empty()) words.pop_back();
  if (words.empty()) return false;
  const std::string& last = words.back();
  const auto is_in = [&last](const auto& list) {
    return std::ranges::find(list, last) != list.end();
  };
  const bool ends = std::ranges::any_of(
      k_secret_last_endings, [&last](std::string_view ending) { return last.ends_with(ending); });
  return is_in(k_secret_last_words) || (ends && !is_in(k_harmless_last_words));
}

}  // namespace

bool looks_like_credential(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  // Names of files: HF_TOKEN_PATH, AWS_SHARED_CREDENTIALS_FILE.
  if (std::ranges::find(k_path_words, words.back()) != k_path_words.end()) return false;
  // PWD is the shell's working directory.
  if (name == "GOOGLE_APPLICATION_CREDENTIALS" || name == "PWD") return false;
  for (const std::string& word : words) {
    for (const std::string_view ending : k_secret_endings) {
      if (word.ends_with(ending)) return true;
    }
    for (const std::string_view whole : k_secret_words) {
      if (word == whole) return true;
    }
  }
  return ends_as_secret(words);
}

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

bool is_secret_flag(std::string_view text) {
  return text.starts_with("--") && text.find('=') == std::string_view::npos &&
         looks_like_credential(text);
}

// True for a word whose successor in a text is a secret: `Bearer`, `X-Api-Key:`, `--password`.
bool announces_secret(std::string_view word) {
  const std::string scheme = lower(word);
  if (scheme == "bearer" || scheme == "basic") return true;
  // The last step of a path is its name: "secret/hub: does not exist", "example.com/token: abc".
  if (word.ends_with(':')) return looks_like_credential(word.substr(word.rfind('/') + 1));
  return is_secret_flag(word);
}

bool is_variable(const Json& value) {
  return find(value, "/name") != nullptr && value["name"].is_string() &&
         find(value, "/value") != nullptr && value["value"].is_string();
}

// The member `key` of a reference names a value, and holds none.
bool is_secret_member(std::string_view name) {
  return name != "key" && looks_like_credential(name);
}

// The length of "$(NAME)", "${NAME}" or "$NAME" at the beginning of the text; 0 = there is none.
std::size_t reference_length(std::string_view text) {
  std::size_t at = std::min(text.find_first_not_of('$'), text.size());
  if (at == 0 || at == text.size()) return 0;
  if (text[at] == '(' || text[at] == '{') {
    const std::size_t close = text.find(text[at] == '(' ? ')' : '}', at);
    return close == std::string_view::npos ? 0 : close + 1;
  }
  const std::size_t name = at;
  const auto is_of_name = [](char c) { return is_letter_or_digit(c) || c == '_'; };
  while (at < text.size() && is_of_name(text[at])) ++at;
  return at == name ? 0 : at;
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

std::vector<std::string> credential_values(const Json& manifest) {
  constexpr std::size_t k_shortest = 6;
  std::vector<std::string> values;
  if (manifest.is_object() && is_variable(manifest) &&
      looks_like_credential(view_at(manifest, "/name"))) {
    const std::string value = text_at(manifest, "/value");
    if (value.size() >= k_shortest && reference_length(value) == 0) values.push_back(value);
  }
  if (!manifest.is_structured()) return values;
  for (const Json& member : manifest) {
    std::ranges::move(credential_values(member), std::back_inserter(values));
  }
  return values;
}

std::string text_without_values(std::string text, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    for (auto at = text.find(value); at != text.npos; at = text.find(value, at + 1)) {
      text.replace(at, value.size(), k_left_out);
    }
  }
  return text;
}

Json without_values(const Json& value, const std::vector<std::string>& values) {
  if (value.is_string()) return text_without_values(value.get<std::string>(), values);
  Json clean = value;
  if (!value.is_structured()) return clean;
  for (Json& member : clean) member = without_values(member, values);
  return clean;
}

Json report_without_secrets(const Json& report) {
  return without_secrets(without_values(report, credential_values(report)));
}

namespace {

struct Found {
  std::set<std::string> variables;
  bool is_in_arguments = false;
};

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

// The word behind a flag such as --token is its value, unless it is the next flag.
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
