// Judges by the words of a name, in any case of letters.
#include "job/manifest/credential_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

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
constexpr std::array<std::string_view, 3> k_path_words = {"FILE", "PATH", "DIR"};

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
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
  return !words.empty() &&
         std::ranges::find(k_secret_last_words, words.back()) != k_secret_last_words.end();
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

}  // namespace trainctl::job
