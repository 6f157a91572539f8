// Keeps what is known to be harmless, since nobody can list what secrets look like.
#include "manifest/kept_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "base/file/sha256.h"
#include "base/text/text.h"
#include "manifest/secrets.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_digest = "sha256:";
constexpr std::size_t k_digest_digits = 12;

constexpr std::size_t k_longest_plain_word = 23;
constexpr std::size_t k_shortest_random_run = 20;
constexpr std::size_t k_shortest_random_word = 32;

// The object that `kubectl apply` has sent, with all values of the replicas' variables.
constexpr std::string_view k_repeats_the_object =
    "kubectl.kubernetes.io/last-applied-configuration";

// Variables of the operator, of launchers and of frameworks.
constexpr std::array<std::string_view, 6> k_harmless_names = {
    "WORLD_SIZE", "RANK", "LOCAL_RANK", "PYTHONUNBUFFERED", "LOG_LEVEL", "LOGLEVEL"};
constexpr std::array<std::string_view, 10> k_harmless_beginnings = {
    "MASTER_", "OMP_", "NCCL_", "TORCH_", "PET_", "CUDA_", "TRAINCTL_", "UCX_", "GLOO_", "OMPI_"};
constexpr std::array<std::string_view, 10> k_endings_of_files = {
    ".py", ".sh", ".json", ".yaml", ".yml", ".toml", ".cfg", ".txt", ".csv", ".pt"};

constexpr std::string_view k_between_words = " \t\r\n\"'`";
constexpr std::string_view k_inside_words = ";|&()<>,";

bool is_number_or_switch(std::string_view word) {
  const std::string small = lower(word);
  if (small == "true" || small == "false") return true;
  const bool has_digit = std::ranges::any_of(word, is_digit);
  return has_digit && word.size() <= k_longest_plain_word &&
         word.find_first_not_of("0123456789.eE+-") == std::string_view::npos && small[0] != 'e';
}

// "$(NAME)", "${NAME}" or "$NAME"
bool is_reference_only(std::string_view word) {
  if (!word.starts_with('$')) return false;
  word.remove_prefix(1);
  const bool in_brackets = (word.starts_with('(') && word.ends_with(')')) ||
                           (word.starts_with('{') && word.ends_with('}'));
  if (in_brackets) word = word.substr(1, word.size() - 2);
  return !word.empty() &&
         std::ranges::all_of(word, [](char c) { return is_letter_or_digit(c) || c == '_'; });
}

bool is_of_variable(char c) {
  return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, is_of_variable);
}

bool is_harmless_variable(std::string_view name, std::string_view value) {
  if (value.empty() || is_reference_only(value)) return true;
  if (looks_like_credential(name) || text_without_secrets(value) != value) return false;
  const auto begins = [name](std::string_view beginning) { return name.starts_with(beginning); };
  return is_number_or_switch(value) ||
         std::ranges::find(k_harmless_names, name) != k_harmless_names.end() ||
         std::ranges::any_of(k_harmless_beginnings, begins);
}

// True for letters and digits that nobody would have written by hand.
bool is_random_run(std::string_view run) {
  const bool has_digit = std::ranges::any_of(run, is_digit);
  const bool has_letter = !std::ranges::all_of(run, is_digit);
  return run.size() >= k_shortest_random_run && has_digit && has_letter;
}

// True for a word of 32 hexadecimal digits or characters of base64.
bool is_random_whole(std::string_view word) {
  if (word.size() < k_shortest_random_word) return false;
  const auto is_hex = [](char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == '-';
  };
  if (std::ranges::all_of(word, is_hex)) return true;
  const auto is_base64 = [](char c) {
    return is_letter_or_digit(c) || std::string_view("+/=_-").find(c) != std::string_view::npos;
  };
  const auto has = [word](int (*is)(int)) {
    return std::ranges::any_of(word,
                               [is](char c) { return is(static_cast<unsigned char>(c)) != 0; });
  };
  return std::ranges::all_of(word, is_base64) && has(std::isupper) && has(std::islower) &&
         (has(std::isdigit) || word.find_first_of("_-/") == std::string_view::npos);
}

bool looks_random(std::string_view word) {
  if (is_random_whole(word)) return true;
  while (!word.empty()) {
    const auto end = std::ranges::find_if_not(word, is_letter_or_digit);
    const std::string_view run(word.begin(), end);
    if (is_random_run(run)) return true;
    word.remove_prefix(std::min(run.size() + 1, word.size()));
  }
  return false;
}

bool is_harmless_path(std::string_view path) {
  const std::size_t at = path.find('@');
  if (at != std::string_view::npos && path.substr(0, at).find(':') < at) return false;
  const bool begins_as_path = path.starts_with('/') || path.starts_with('.') ||
                              path.starts_with('~') || path.starts_with('$');
  if (!begins_as_path && looks_random(path)) return false;
  const auto parts = split(path, '/');
  return std::ranges::none_of(parts, [](const std::string& part) { return looks_random(part); });
}

bool is_harmless_url(std::string_view url) {
  if (url.find_first_of("?#") != std::string_view::npos) return false;
  return is_harmless_path(url.substr(url.find("://") + sizeof("://") - 1));
}

// "host:29500" and "cuda:0", but not "ada:hunter2".
bool has_harmless_colon(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos || colon + 1 == word.size()) return true;
  return is_number_or_switch(word.substr(colon + 1)) && word.find('@') == std::string_view::npos;
}

bool is_harmless_word(std::string_view word) {
  if (is_number_or_switch(word) || is_reference_only(word)) return true;
  if (text_without_secrets(word) != word) return false;
  // The digest of an image says what everybody may pull.
  const std::string_view plain = word.substr(0, word.find("@sha256:"));
  if (plain.find("://") != std::string_view::npos) return is_harmless_url(plain);
  if (plain.find('/') != std::string_view::npos) return is_harmless_path(plain);
  if (looks_random(plain) || !has_harmless_colon(plain)) return false;
  const auto ends = [plain](std::string_view ending) { return plain.ends_with(ending); };
  return plain.size() <= k_longest_plain_word || std::ranges::any_of(k_endings_of_files, ends);
}

bool is_option_name(std::string_view word) {
  const auto is_of_name = [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  };
  return word.size() > 1 && word.starts_with('-') && !looks_random(word) &&
         std::ranges::all_of(word, is_of_name);
}

// True when what follows the word is a secret: `--token`, `password =`, `Authorization:`, `-p`.
bool precedes_secret(std::string_view before) {
  if (before == "-p") return true;
  const bool ends_name = before.ends_with(':') || before.ends_with('=');
  const bool is_plain = before.find_first_of("=/") == std::string_view::npos;
  if (!ends_name && !is_plain) return false;
  const std::string small = lower(before);
  if (small == "bearer" || small == "basic" || small.starts_with("authorization")) return true;
  return looks_like_credential(before);
}

class HarmlessWords {
 public:
  HarmlessWords(const MarkFor& mark, std::string_view before) : mark_(mark), before_(before) {}

  // One word of a list, which may be a script.
  std::string word(std::string_view text) {
    constexpr std::string_view k_key_begins = "-----BEGIN ";
    const bool is_secret = text.find(k_key_begins) != std::string_view::npos ||
                           (precedes_secret(before_) && !text.starts_with("--"));
    const std::string before = std::exchange(before_, "");
    if (is_secret && !text.empty() && !is_reference_only(text)) return mark_(text);
    if (auto whole = assignment(before, text)) return *std::move(whole);
    before_ = before;
    std::string kept = script(text);
    // The name of a variable, as in `-e HF_TOKEN`, says nothing about the word behind it.
    if (sets_variable(before)) before_.clear();
    return kept;
  }

 private:
  // A value with blanks is one value where the word is not a script: `-e "NAME=two words"`,
  // `--password="two words"`.
  std::optional<std::string> assignment(std::string_view before, std::string_view text) const {
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_assignment = name.size() < text.size() && !name.empty() &&
                               name.find_first_of(k_between_words) == std::string_view::npos;
    if (!is_assignment || is_script_switch(before)) return std::nullopt;
    const std::string_view value = text.substr(name.size() + 1);
    if (sets_variable(name)) {
      const auto kept = assignment(name, value);
      return kept ? std::optional(cat(name, '=', *kept)) : std::nullopt;
    }
    const bool is_one_value = sets_variable(before) || looks_like_credential(name);
    if (!is_one_value || value.empty()) return std::nullopt;
    return with_value(before, text, name.size());
  }

  static bool sets_variable(std::string_view flag) {
    return flag == "-e" || flag == "--env" || (flag.starts_with("--") && flag.ends_with("-env"));
  }

  // `sh -c`, `bash -lc`
  static bool is_script_switch(std::string_view word) {
    return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.ends_with('c');
  }

  std::string script(std::string_view text) {
    std::string kept;
    while (!text.empty()) {
      const std::size_t begin = std::min(text.find_first_not_of(k_between_words), text.size());
      kept += text.substr(0, begin);
      const char opened = begin > 0 ? text[begin - 1] : ' ';
      text.remove_prefix(begin);
      const bool is_quoted = precedes_secret(before_) && (opened == '"' || opened == '\'');
      const std::size_t end = std::min(
          is_quoted ? text.find(opened) : text.find_first_of(k_between_words), text.size());
      const std::string_view part = text.substr(0, end);
      if (!part.empty()) kept += behind(before_, part);
      // In JSON the colon stands behind the quotes of its name.
      const bool is_punctuation = std::ranges::none_of(part, is_letter_or_digit);
      before_ = is_punctuation ? before_ + std::string(part.empty() ? "" : ":") : std::string(part);
      text.remove_prefix(end);
    }
    return kept;
  }

  std::string behind(std::string_view before, std::string_view word) const {
    if (is_reference_only(word)) return std::string(word);
    const bool has_letters = std::ranges::any_of(word, is_letter_or_digit);
    if (has_letters && precedes_secret(before) && !word.starts_with("--")) return mark_(word);
    const bool is_user = before == "-u" || before == "--user";
    if (is_user && word.find(':') != std::string_view::npos) return mark_(word);
    if (before.ends_with('=') && is_variable_name(before.substr(0, before.size() - 1))) {
      return variable(before.substr(0, before.size() - 1), word);
    }
    const std::size_t equals = word.find('=');
    if (equals < word.find("://")) return with_value(before, word, equals);
    return parts(word);
  }

  std::string with_value(std::string_view before, std::string_view word, std::size_t equals) const {
    const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
    const bool is_padding = value.find_first_not_of('=') == std::string_view::npos;
    if (looks_random(name)) return mark_(word);
    if (is_padding) {
      const bool is_name = is_variable_name(name) || name.size() < k_longest_plain_word / 2;
      return is_name || name.starts_with('-') ? std::string(word) : mark_(word);
    }
    const bool is_variable = sets_variable(before) || is_variable_name(name);
    if (is_variable) return cat(name, '=', variable(name, value));
    if (looks_like_credential(name)) return cat(name, '=', mark_(value));
    return cat(name, '=', behind(name, value));
  }

  std::string variable(std::string_view name, std::string_view value) const {
    return is_harmless_variable(name, value) ? std::string(value) : mark_(value);
  }

  std::string parts(std::string_view word) const {
    if (word.find("://") != std::string_view::npos) return part(word);
    std::string kept;
    while (!word.empty()) {
      const std::size_t begin = std::min(word.find_first_not_of(k_inside_words), word.size());
      kept += word.substr(0, begin);
      word.remove_prefix(begin);
      const std::size_t end = std::min(word.find_first_of(k_inside_words), word.size());
      if (end > 0) kept += part(word.substr(0, end));
      word.remove_prefix(end);
    }
    return kept;
  }

  std::string part(std::string_view word) const {
    // `mysql -psecret`
    const bool is_glued = word.size() > 2 && word.starts_with("-p");
    if (is_glued) return cat("-p", mark_(word.substr(2)));
    const bool is_harmless = is_option_name(word) || is_harmless_word(word);
    return is_harmless ? std::string(word) : mark_(word);
  }

  const MarkFor& mark_;
  std::string before_;
};

Json kept_words(const Json& words, const MarkFor& mark, std::string_view before) {
  Json kept = Json::array();
  HarmlessWords harmless(mark, before);
  for (const Json& word : words) {
    kept.push_back(word.is_string() ? Json(harmless.word(word.get_ref<const std::string&>()))
                                    : word);
  }
  return kept;
}

std::string_view last_word(const Json& words) {
  if (!words.is_array() || words.empty() || !words.back().is_string()) return "";
  return words.back().get_ref<const std::string&>();
}

class HarmlessManifest {
 public:
  explicit HarmlessManifest(const MarkFor& mark) : mark_(mark) {}

  Json any(const Json& value) const {
    if (value.is_object()) return object(value);
    if (value.is_array()) {
      Json kept = Json::array();
      for (const Json& element : value) kept.push_back(any(element));
      return kept;
    }
    return value.is_string() ? Json(text_without_secrets(value.get_ref<const std::string&>()))
                             : value;
  }

 private:
  Json object(const Json& object) const {
    Json kept = Json::object();
    for (const auto& [key, value] : object.items()) kept[key] = member(object, key, value);
    return kept;
  }

  Json member(const Json& object, const std::string& key, const Json& value) const {
    if (key == "annotations" && value.is_object()) return annotations(value);
    if (value.is_array() && key == "command") return kept_words(value, mark_, "");
    if (value.is_array() && key == "args") {
      const Json* command = find(object, "/command");
      return kept_words(value, mark_, command != nullptr ? last_word(*command) : "");
    }
    if (!value.is_string()) return any(value);
    const auto& text = value.get_ref<const std::string&>();
    if (key == "value" && find(object, "/name") != nullptr) {
      return is_harmless_variable(view_at(object, "/name"), text) ? text : mark_(text);
    }
    // The member `key` of a reference names a value, and holds none.
    return key != "key" && looks_like_credential(key) ? Json(mark_(text)) : any(value);
  }

  Json annotations(const Json& object) const {
    Json kept = Json::object();
    for (const auto& [key, value] : object.items()) {
      if (key == k_repeats_the_object) continue;
      const bool is_ours = key.starts_with("trainctl/") || !value.is_string();
      kept[key] = is_ours ? any(value) : annotation(key, value);
    }
    return kept;
  }

  // Tools keep whole objects there, as JSON.
  Json annotation(const std::string& key, const Json& value) const {
    const bool is_secret = looks_like_credential(key);
    const auto held = parse_json(value.get_ref<const std::string&>(), "annotation");
    if (is_secret || !held || !held->is_structured()) {
      return kept_words(Json::array({value}), mark_, is_secret ? "--token" : "")[0];
    }
    const Json kept = any(*held);
    return kept == *held ? value : Json(dump(kept));
  }

  const MarkFor& mark_;
};

bool has_mark(std::string_view text) {
  if (text.find(k_left_out) != std::string_view::npos) return true;
  for (std::size_t at = text.find(k_digest); at != std::string_view::npos;
       at = text.find(k_digest, at + 1)) {
    const std::string_view digits = text.substr(at + k_digest.size());
    const std::size_t end = std::min(digits.find_first_not_of("0123456789abcdef"), digits.size());
    if (end == k_digest_digits) return true;
  }
  return false;
}

void search_left_out(const Json& value, std::string_view variable, bool is_argument,
                     LeftOutValues& found) {
  if (value.is_string() && has_mark(value.get_ref<const std::string&>())) {
    if (!variable.empty()) {
      found.variables.emplace(variable);
    } else {
      (is_argument ? found.arguments : found.others) = true;
    }
  }
  if (value.is_array()) {
    for (const Json& element : value) search_left_out(element, "", is_argument, found);
  }
  if (!value.is_object()) return;
  for (const auto& [key, inner] : value.items()) {
    search_left_out(inner, key == "value" ? view_at(value, "/name") : "",
                    key == "command" || key == "args", found);
  }
}

}  // namespace

std::string mark_with_key(std::string_view key, std::string_view value) {
  if (key.empty()) return std::string(k_left_out);
  return cat(k_digest, hmac_sha256_hex(key, value).substr(0, k_digest_digits));
}

Json with_harmless_values(const Json& manifest, const MarkFor& mark) {
  return HarmlessManifest(mark).any(manifest);
}

Json harmless_words(const Json& words, const MarkFor& mark) {
  return kept_words(words, mark, "");
}

std::string LeftOutValues::names() const {
  std::vector<std::string> all(variables.begin(), variables.end());
  if (arguments) all.emplace_back("arguments");
  if (others) all.emplace_back("other fields");
  return join(all, ", ");
}

LeftOutValues values_left_out(const Json& manifest) {
  LeftOutValues found;
  search_left_out(manifest, "", false, found);
  return found;
}

}  // namespace trainctl::job
