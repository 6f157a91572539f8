// Drives yaml-cpp event by event and rejects input that it wrongly accepts; nothing else names it.
#include "base/value/yaml.h"

#include <algorithm>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/text/text.h"
#include "base/value/yaml_builder.h"
#include "base/value/yaml_json.h"
#include "base/value/yaml_long_words.h"
#include "base/value/yaml_text.h"

namespace trainctl {

namespace {

constexpr std::size_t k_largest_text = std::size_t{16} << 20U;

// Thrown to leave the parser when a handler finds an error; caught in read_documents.
struct Refusal {
  Error error;
};

Place place_of(const YAML::Mark& mark) {
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

  Place last_scalar() const { return last_scalar_; }

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
  Place last_scalar_;
};

Error syntax_error(const YAML::Exception& trouble, const YamlLines& lines, std::string_view name) {
  const Place place = place_of(trouble.mark);
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
