// Drives yaml-cpp event by event and rejects input that it wrongly accepts; nothing else names it.
#include "base/value/yaml.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/result.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "base/value/yaml_builder.h"

namespace trainctl {
namespace {

constexpr std::size_t k_most_json_nodes = 200'000;
constexpr std::size_t k_most_json_levels = 100;

// Counts values and detects duplicate keys during parsing.
class JsonLimits : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return begin(); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return begin(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override { return keys_.back().insert(name).second; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  bool count() { return ++nodes_ <= k_most_json_nodes; }
  bool begin() {
    keys_.emplace_back();
    return keys_.size() <= k_most_json_levels && count();
  }
  bool end() {
    keys_.pop_back();
    return true;
  }

  std::size_t nodes_ = 0;
  std::vector<std::unordered_set<std::string>> keys_;
};

}  // namespace

std::optional<Json> read_as_json(std::string_view text) {
  text = trim(text);
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return std::nullopt;
  JsonLimits limits;
  if (!Json::sax_parse(text.begin(), text.end(), &limits)) return std::nullopt;
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

namespace {

constexpr std::size_t k_long = 256;
constexpr std::string_view k_mark = "LongWordOfThisText";
constexpr char k_end = 'z';

bool is_base64(char c) {
  return is_letter_or_digit(c) || c == '+' || c == '/' || c == '=';
}

// The word that a line ends with, without a closing quote; "" when it is short, or more than a
// word: an anchor, a tag.
std::string_view long_word(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.ends_with('"') || line.ends_with('\'')) line.remove_suffix(1);
  const auto begin = std::find_if_not(line.rbegin(), line.rend(), is_base64).base();
  const std::string_view word(begin, line.end());
  if (word.size() < k_long) return {};
  const bool stands_alone =
      begin == line.begin() || std::string_view(" \"'").find(begin[-1]) != std::string_view::npos;
  return stands_alone ? word : std::string_view{};
}

}  // namespace

YamlLongWords::YamlLongWords(std::string_view text) {
  // Escape sequences could produce the mark in a text that does not contain it.
  const bool usable = text.size() >= k_long && text.find('\\') == std::string_view::npos &&
                      text.find(k_mark) == std::string_view::npos;
  std::size_t taken = 0;
  for (std::size_t at = 0; usable && at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view word = long_word(text.substr(at, end - at));
    at = end + 1;
    if (word.empty()) continue;
    const auto place = static_cast<std::size_t>(word.data() - text.data());
    shortened_ += text.substr(taken, place - taken);
    shortened_ += cat(k_mark, words_.size(), k_end);
    words_.push_back(word);
    taken = place + word.size();
  }
  shortened_ += text.substr(taken);
}

std::string YamlLongWords::restored(std::string scalar) const {
  if (words_.empty()) return scalar;
  std::size_t at = 0;
  while ((at = scalar.find(k_mark, at)) != std::string::npos) {
    std::size_t number = 0;
    const char* const digits = scalar.data() + at + k_mark.size();
    const char* const end = std::from_chars(digits, scalar.data() + scalar.size(), number).ptr;
    const std::string_view word = words_.at(number);
    scalar.replace(at, static_cast<std::size_t>(end + 1 - scalar.data()) - at, word);
    at += word.size();
  }
  return scalar;
}

namespace {

// Checks of a YAML text that need no parsing, and guards for input that the parser wrongly accepts.
// The lines of a text, split once, since a stream of many documents needs many of them.
class YamlLines {
 public:
  explicit YamlLines(std::string_view text);

  // The whole line at a place; "" when there is none.
  std::string_view at(TextPosition place) const;
  // Everything from a place to the end of the text.
  std::string_view from(TextPosition place) const;

 private:
  std::vector<std::string_view> lines_;
};

constexpr std::string_view k_yaml_blanks = " \t\r\n";

// Brackets are counted even inside quotes, so the limit is far above what real nesting uses.
constexpr std::size_t k_most_open_brackets = 50'000;

YamlLines::YamlLines(std::string_view text) {
  while (!text.empty()) {
    const auto length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines_.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

std::string_view YamlLines::at(TextPosition place) const {
  const auto index = static_cast<std::size_t>(place.line - 1);
  return index < lines_.size() ? lines_[index] : std::string_view{};
}

std::string_view YamlLines::from(TextPosition place) const {
  const std::string_view line = at(place);
  if (line.empty()) return {};
  const auto column = std::min(static_cast<std::size_t>(place.column - 1), line.size());
  const char* end = lines_.back().data() + lines_.back().size();
  return {line.data() + column, static_cast<std::size_t>(end - line.data()) - column};
}

// Refuses input that must not reach the parser: bytes it would guess an encoding from, control
// characters, one of which (U+0004) it takes for the end of the file, and endless brackets, all of
// which it keeps in memory (4 GB for 16 MB) before the first event.
Status check_characters(std::string_view text, std::string_view name) {
  TextPosition place;
  std::size_t open_brackets = 0;
  while (!text.empty()) {
    const auto c = take_code_point(text);
    if (!c) return yaml_error(name, place, "this is not UTF-8 text");
    if (*c < 0x20 && *c != '\t' && *c != '\n' && *c != '\r') {
      return yaml_error(name, place, cat("control character ", static_cast<unsigned>(*c)));
    }
    if (*c == '[' || *c == '{') ++open_brackets;
    if ((*c == ']' || *c == '}') && open_brackets > 0) --open_brackets;
    if (open_brackets > k_most_open_brackets) {
      return yaml_error(name, place, "too many brackets that are not closed");
    }
    place =
        *c == '\n' ? TextPosition{place.line + 1, 1} : TextPosition{place.line, place.column + 1};
  }
  return {};
}

// False when text begins a quoted scalar that never ends. The parser closes a quote at the end of
// the file, which would swallow the rest of the manifest.
bool quote_is_closed(std::string_view text) {
  while (!text.empty() &&
         (text[0] == '&' || text[0] == '!')) {  // anchor and tag precede the scalar
    text.remove_prefix(std::min(text.find_first_of(k_yaml_blanks), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(k_yaml_blanks), text.size()));
  }
  if (text.empty() || (text[0] != '"' && text[0] != '\'')) return true;
  const char quote = text[0];
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool doubled = quote == '\'' && text.substr(i, 2) == "''";
    const bool escape = quote == '"' && text[i] == '\\';
    if (doubled || escape) {
      ++i;
    } else if (text[i] == quote) {
      return true;
    }
  }
  return false;
}

// True for "---" and for "--- text", not for "----".
bool is_document_marker(std::string_view line) {
  if (line.substr(0, 3) != "---") return false;
  return line.size() == 3 || k_yaml_blanks.find(line[3]) != std::string_view::npos;
}

constexpr std::size_t k_largest_text = std::size_t{16} << 20U;

// Thrown to leave the parser when a handler finds an error; caught in read_documents.
struct Refusal {
  Error error;
};

TextPosition place_of(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

class Events : public YAML::EventHandler {
 public:
  Events(YamlBuilder& builder, const YamlLines& lines, const YamlLongWords& words,
         std::string_view name)
      : builder_(builder), lines_(lines), words_(words), name_(name) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    // The parser treats input that it cannot place as a new document, and on a stray comma does so
    // for ever without advancing. So every document but the first must begin with its marker.
    if (any_document_ && !starts_with_marker(mark)) {
      throw Refusal{yaml_error(name_, place_of(mark), "this is not part of the document above",
                               "check quotes and indentation; another document begins with ---")};
    }
    any_document_ = true;
    builder_.begin_document(place_of(mark));
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(builder_.null({place_of(mark), "?", anchor}));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(builder_.alias({place_of(mark), "?", anchor}));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    last_scalar_ = place_of(mark);
    check(builder_.scalar({place_of(mark), tag, anchor}, words_.restored(value)));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check(builder_.begin_collection({place_of(mark), tag, anchor}, false));
  }
  void OnSequenceEnd() override { check(builder_.end_collection()); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check(builder_.begin_collection({place_of(mark), tag, anchor}, true));
  }
  void OnMapEnd() override { check(builder_.end_collection()); }

  TextPosition last_scalar() const { return last_scalar_; }

 private:
  static void check(Status status) {
    if (!status) throw Refusal{std::move(status).error()};
  }
  bool starts_with_marker(const YAML::Mark& mark) const {
    return mark.column == 0 && is_document_marker(lines_.at(place_of(mark)));
  }

  YamlBuilder& builder_;
  const YamlLines& lines_;
  const YamlLongWords& words_;
  std::string_view name_;
  bool any_document_ = false;
  TextPosition last_scalar_;
};

Error syntax_error(const YAML::Exception& trouble, const YamlLines& lines, std::string_view name) {
  const TextPosition place = place_of(trouble.mark);
  const std::string_view line = lines.at(place);
  const std::string_view indentation = line.substr(0, line.find_first_not_of(" \t"));
  if (indentation.find('\t') != std::string_view::npos) {
    return yaml_error(name, place, "a tab in the indentation", "indent with spaces");
  }
  return yaml_error(name, place, cat("not valid YAML: ", trouble.msg),
                    "check the quotes and the indentation of this line and the one before");
}

// The parser reads a key at the very end of the file ("replicas:" without newline) as a word
// without colon, and refuses it.
std::string with_last_line_ended(std::string_view text) {
  const bool ends_in_colon = !trim(text).empty() && trim(text).back() == ':';
  return std::string(text) + (ends_in_colon && text.back() != '\n' ? "\n" : "");
}

Result<std::vector<YamlBuilder::Document>> read_documents(std::string_view text,
                                                          std::string_view name) {
  if (text.size() > k_largest_text) {
    return Error{Code::usage, cat(name, ": larger than 16 MiB"), ""};
  }
  constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
  if (text.substr(0, 3) == k_byte_order_mark) text.remove_prefix(3);
  TRY(check_characters(text, name));
  if (auto value = read_as_json(text)) return std::vector{YamlBuilder::Document{{}, *value}};
  YamlBuilder builder(name);
  const YamlLines lines(text);
  const YamlLongWords words(text);
  Events events(builder, lines, words, name);
  try {
    std::istringstream stream{with_last_line_ended(words.shortened())};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
  } catch (Refusal& refusal) {
    return std::move(refusal.error);
  } catch (const YAML::Exception& trouble) {
    return syntax_error(trouble, lines, name);
  }
  if (!quote_is_closed(lines.from(events.last_scalar()))) {
    return yaml_error(name, events.last_scalar(), "this quote is not closed");
  }
  TRY_ASSIGN(auto documents, builder.take_documents());
  const auto is_empty = [](const auto& document) { return document.value.is_null(); };
  documents.erase(std::remove_if(documents.begin(), documents.end(), is_empty), documents.end());
  return documents;
}

}  // namespace

Result<Json> from_yaml(std::string_view text, std::string_view name) {
  TRY_ASSIGN(auto documents, read_documents(text, name));
  if (documents.empty()) return Error{Code::usage, cat(name, ": the document is empty"), ""};
  if (documents.size() > 1) {
    return yaml_error(name, documents[1].place, "a second document, where one is expected");
  }
  return std::move(documents[0].value);
}

Result<std::vector<Json>> from_yaml_stream(std::string_view text, std::string_view name) {
  TRY_ASSIGN(auto documents, read_documents(text, name));
  std::vector<Json> values;
  for (auto& document : documents) values.push_back(std::move(document.value));
  return values;
}

}  // namespace trainctl
