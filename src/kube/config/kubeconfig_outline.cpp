#include "kube/config/kubeconfig_outline.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "base/text/text.h"

namespace trainctl::kube {
namespace {

using Characters = std::array<bool, 256>;

// Letters, digits and what else may stand anywhere.
constexpr Characters characters(std::string_view others) {
  Characters known{};
  for (char c = '0'; c <= 'z'; ++c) {
    const bool between = (c > '9' && c < 'A') || (c > 'Z' && c < 'a');
    known.at(static_cast<unsigned char>(c)) = !between;
  }
  for (const char c : others) known.at(static_cast<unsigned char>(c)) = true;
  return known;
}

constexpr Characters k_in_word = characters("+/=._:@-");
constexpr Characters k_in_line = characters("+/=._:@- ,;()<>|$?~^");

bool consists_of(const Characters& known, std::string_view text) {
  return std::ranges::all_of(text, [&](char c) { return known[static_cast<unsigned char>(c)]; });
}

// A line whose value is a string whatever it says, or the whole line.
struct Line {
  std::string_view front;  // "    server: "
  std::string_view value;  // "https://k.example", without its quotes
  char quote = 0;
};

bool begins_value(std::string_view front) {
  return front.ends_with(": ") || front.ends_with("- ");
}

// YAML takes other words for a number, null or a boolean.
bool is_string(std::string_view word) {
  if (word.empty() || word.ends_with(':') || !(is_letter(word[0]) || word[0] == '/')) return false;
  if (word.size() > std::string_view("false").size()) return true;
  const std::string spelt = lower(word);
  return spelt != "null" && spelt != "true" && spelt != "false";
}

std::optional<Line> quoted(std::string_view line) {
  const char quote = line.back();
  const std::size_t begin = line.substr(0, line.size() - 1).rfind(quote);
  if (begin == std::string_view::npos) return std::nullopt;
  const Line read{line.substr(0, begin), line.substr(begin + 1, line.size() - begin - 2), quote};
  const bool plain = begins_value(read.front) && consists_of(k_in_line, read.front) &&
                     consists_of(k_in_line, read.value);
  return plain ? std::optional(read) : std::nullopt;
}

// nullopt for a line that could mean something beyond itself.
std::optional<Line> read_line(std::string_view line) {
  if (line.empty()) return Line{};
  if (line.back() == '"' || line.back() == '\'') return quoted(line);
  const bool is_nothing = line.ends_with(": {}") || line.ends_with(": []");
  if (is_nothing) {
    const bool plain = consists_of(k_in_line, line.substr(0, line.size() - 2));
    return plain ? std::optional(Line{line, "", 0}) : std::nullopt;
  }
  const auto begin = std::find_if_not(line.rbegin(), line.rend(), [](char c) {
                       return k_in_word[static_cast<unsigned char>(c)];
                     }).base();
  const auto size = static_cast<std::size_t>(begin - line.begin());
  const Line read{line.substr(0, size), line.substr(size), 0};
  if (!consists_of(k_in_line, read.front)) return std::nullopt;
  return begins_value(read.front) && is_string(read.value) ? read : Line{line, "", 0};
}

// Cuts a file into its parts, a line after the other.
class Cutter {
 public:
  // False when an outline has no place for the line.
  bool take(std::string_view line);
  bool end_part() {
    if (shape_.empty()) return true;
    KubeconfigOutline::Part& part = parts.back();
    part.always_stays = shapes_.insert(std::exchange(shape_, "")).second;
    return !part.name.empty() && names_.insert(cat(list_, part.name)).second;
  }
  std::vector<KubeconfigOutline::Part> parts;

 private:
  bool begin_part(std::string_view line, std::string_view list) {
    if (!end_part()) return false;
    list_ = list;
    parts.push_back({line.substr(0, 0)});
    return true;
  }
  void add(std::string_view line, const Line& read);

  std::string_view list_;              // the key of the list that is being read; "" = none
  std::optional<std::size_t> indent_;  // of the list's entries
  std::string shape_;                  // of the entry; "" outside of one
  std::unordered_set<std::string> shapes_, names_;
};

bool Cutter::take(std::string_view line) {
  const std::optional<Line> read = read_line(line);
  if (!read) return false;
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const bool is_item = line.substr(indent).starts_with("- ");
  const bool is_key = is_letter(line.empty() ? ' ' : line[0]) &&
                      (line.ends_with(':') || line.find(": ") != std::string_view::npos);
  if (is_key) {
    const bool is_list = line == "clusters:" || line == "contexts:" || line == "users:";
    if (!begin_part(line, is_list ? line : "")) return false;
    indent_.reset();
  } else if (parts.empty() || (indent == 0 && !line.empty() && !is_item)) {
    return false;
  } else if (!list_.empty() && !line.empty()) {
    const std::size_t entries = indent_.value_or(indent);
    if (indent < entries || (indent == entries && !is_item)) return false;
    indent_ = entries;
    if (indent == entries && !begin_part(line, list_)) return false;
    if (indent == entries) shape_ = list_;
  }
  add(line, *read);
  return true;
}

void Cutter::add(std::string_view line, const Line& read) {
  KubeconfigOutline::Part& part = parts.back();
  const char* const begin = part.text.data();
  part.text = {begin, static_cast<std::size_t>(line.data() + line.size() - begin)};
  if (shape_.empty()) return;
  shape_ += cat("\n", read.front, read.value.empty() ? "" : "word");
  if (read.quote != 0) shape_ += read.quote;
  constexpr std::string_view k_name = "name: ";
  const std::string_view field = line.substr(std::min(*indent_ + 2, line.size()));
  if (!field.starts_with(k_name)) return;
  part.name = read.quote != 0 || !read.value.empty() ? read.value : field.substr(k_name.size());
}

}  // namespace

std::optional<KubeconfigOutline> KubeconfigOutline::of(std::string_view text) {
  Cutter cutter;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!cutter.take(text.substr(0, end))) return std::nullopt;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!cutter.end_part()) return std::nullopt;
  KubeconfigOutline outline;
  outline.parts_ = std::move(cutter.parts);
  return outline;
}

std::string KubeconfigOutline::with(const std::set<std::string, std::less<>>& names) const {
  std::string text;
  for (const Part& part : parts_) {
    if (part.always_stays || names.contains(part.name)) text += cat(part.text, "\n");
  }
  return text;
}

}  // namespace trainctl::kube
