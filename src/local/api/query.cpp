// Reads the options of lists, watches and deletions.
#include "local/api/query.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/text/text.h"

namespace trainctl::local {
namespace {

enum class Token { end, comma, open, close, operation, in, not_in, bang, identifier };

struct SelectorWord {
  Token token = Token::end;
  std::string text;
};

constexpr std::string_view k_special = "=!(),><";
constexpr std::string_view k_blank = " \t\r\n";

Token token_of(std::string_view text) {
  if (text == ",") return Token::comma;
  if (text == "(") return Token::open;
  if (text == ")") return Token::close;
  if (text == "!") return Token::bang;
  if (text == "in") return Token::in;
  if (text == "notin") return Token::not_in;
  return k_special.find(text[0]) == std::string_view::npos ? Token::identifier : Token::operation;
}

std::vector<SelectorWord> words_of(std::string_view text) {
  std::vector<SelectorWord> words;
  while (true) {
    const auto start = text.find_first_not_of(k_blank);
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    std::size_t size = 1;
    if (k_special.find(text[0]) == std::string_view::npos) {
      size = std::min(text.find_first_of(" \t\r\n=!(),><"), text.size());
    } else if (text.starts_with("==") || text.starts_with("!=")) {
      size = 2;
    }
    words.push_back({token_of(text.substr(0, size)), std::string(text.substr(0, size))});
    text.remove_prefix(size);
  }
  words.push_back({});
  return words;
}

struct Complaint {
  std::string text;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : words_(words_of(text)) {}

  std::variant<LabelSelector, Complaint> parse() {
    LabelSelector selector;
    while (true) {
      const Token next = value_token();
      if (next == Token::end) return selector;
      if (next != Token::identifier && next != Token::bang) {
        return found("!, identifier, or 'end of string'");
      }
      auto requirement = parse_requirement();
      if (auto* complaint = std::get_if<Complaint>(&requirement)) {
        return Complaint{"unable to parse requirement: " + complaint->text};
      }
      selector.requirements.push_back(std::get<LabelRequirement>(std::move(requirement)));
      if (value_token() == Token::end) return selector;
      if (value_token() != Token::comma) return found("',' or 'end of string'");
      ++at_;
      if (value_token() != Token::identifier && value_token() != Token::bang) {
        return found("identifier after ','");
      }
    }
  }

 private:
  // "in" and "notin" are ordinary values where a value is expected.
  Token value_token() const {
    const Token token = words_[at_].token;
    return token == Token::in || token == Token::not_in ? Token::identifier : token;
  }
  Complaint found(std::string_view expected) const {
    return {cat("found '", words_[at_].text, "', expected: ", expected)};
  }
  std::string take() { return words_[at_ + 1 < words_.size() ? at_++ : at_].text; }

  std::variant<LabelRequirement, Complaint> parse_requirement() {
    LabelRequirement requirement;
    const bool absent = value_token() == Token::bang;
    if (absent) ++at_;
    if (value_token() != Token::identifier) return found("identifier");
    requirement.key = take();
    if (absent) {
      requirement.op = LabelOperator::absent;
      return requirement;
    }
    if (value_token() == Token::end || value_token() == Token::comma) return requirement;
    if (auto complaint = parse_condition(requirement)) return *std::move(complaint);
    return requirement;
  }

  std::optional<Complaint> parse_condition(LabelRequirement& requirement) {
    const SelectorWord word = words_[at_];
    if (word.token == Token::in || word.token == Token::not_in) {
      requirement.op = word.token == Token::in ? LabelOperator::in : LabelOperator::not_in;
      ++at_;
      return parse_set(requirement);
    }
    if (word.token != Token::operation) return found("in, notin, =, ==, !=, gt, lt");
    if (word.text == ">") requirement.op = LabelOperator::greater;
    if (word.text == "<") requirement.op = LabelOperator::less;
    if (word.text == "!=") requirement.op = LabelOperator::not_in;
    if (word.text == "=" || word.text == "==") requirement.op = LabelOperator::in;
    ++at_;
    const bool nothing = value_token() == Token::end || value_token() == Token::comma;
    if (!nothing && value_token() != Token::identifier) return found("identifier");
    requirement.values = {nothing ? "" : take()};
    return std::nullopt;
  }

  std::optional<Complaint> parse_set(LabelRequirement& requirement) {
    if (value_token() != Token::open) {
      return Complaint{cat("found '", words_[at_].text, "' expected: '('")};
    }
    ++at_;
    bool value_expected = true;
    while (value_token() != Token::close || value_expected) {
      const Token token = value_token();
      if (token == Token::identifier && value_expected) {
        requirement.values.push_back(take());
        value_expected = false;
      } else if (token == Token::comma || token == Token::close) {
        if (value_expected) requirement.values.emplace_back();
        if (token == Token::close) break;
        value_expected = true;
        ++at_;
      } else {
        return found("',', or ')'");
      }
    }
    ++at_;
    return std::nullopt;
  }

  std::vector<SelectorWord> words_;
  std::size_t at_ = 0;
};

bool satisfies(const Json* label, const LabelRequirement& requirement) {
  const bool present = label != nullptr && label->is_string();
  const std::string value = present ? label->get<std::string>() : "";
  const auto& values = requirement.values;
  const bool listed = present && std::ranges::find(values, value) != values.end();
  const auto number = parse_number<std::int64_t>(value);
  switch (requirement.op) {
    case LabelOperator::exists:
      return present;
    case LabelOperator::absent:
      return !present;
    case LabelOperator::in:
      return listed;
    case LabelOperator::not_in:
      return !listed;
    case LabelOperator::greater:
      return number && *number > parse_number<std::int64_t>(values[0]).value_or(0);
    case LabelOperator::less:
      return number && *number < parse_number<std::int64_t>(values[0]).value_or(0);
  }
  return false;
}

}  // namespace

bool LabelSelector::matches(const Json& object) const {
  const Json& labels = object_at(object, "/metadata/labels");
  return std::ranges::all_of(requirements, [&](const LabelRequirement& requirement) {
    const auto found = labels.find(requirement.key);
    return satisfies(found == labels.end() ? nullptr : &*found, requirement);
  });
}

Answered<LabelSelector> parse_label_selector(std::string_view text) {
  auto parsed = Parser(text).parse();
  if (auto* complaint = std::get_if<Complaint>(&parsed)) return bad_request(complaint->text);
  return std::get<LabelSelector>(std::move(parsed));
}

namespace {

struct Field {
  std::string_view plural;  // "" = every kind
  std::string_view label;
  std::string_view place;
};

// The fields that trainctl selects by.
constexpr Field k_selectable[] = {
    {"", "metadata.name", "/metadata/name"},
    {"pods", "status.phase", "/status/phase"},
    {"events", "involvedObject.kind", "/involvedObject/kind"},
    {"events", "involvedObject.name", "/involvedObject/name"},
    {"events", "reason", "/reason"},
    {"events", "type", "/type"},
};

const Field* find_field(const ServedResource& resource, std::string_view label) {
  const auto found = std::ranges::find_if(k_selectable, [&](const Field& row) {
    return row.label == label && (row.plural.empty() || row.plural == resource.resource.plural);
  });
  return found == std::end(k_selectable) ? nullptr : found;
}

// Splits at commas that no backslash protects.
std::vector<std::string> terms_of(std::string_view text) {
  std::vector<std::string> terms(1);
  bool escaped = false;
  for (const char c : text) {
    if (c == ',' && !escaped) {
      terms.emplace_back();
      continue;
    }
    escaped = c == '\\' && !escaped;
    terms.back() += c;
  }
  return terms;
}

std::optional<std::string> unescaped(std::string_view value) {
  std::string plain;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == ',' || value[i] == '=') return std::nullopt;
    if (value[i] == '\\') {
      if (i + 1 == value.size()) return std::nullopt;
      const char next = value[++i];
      if (next != ',' && next != '=' && next != '\\') return std::nullopt;
    }
    plain += value[i];
  }
  return plain;
}

struct Term {
  std::string_view label, value;
  bool differs = false;
};

std::optional<Term> term_of(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("!=")) return Term{text.substr(0, i), rest.substr(2), true};
    if (rest.starts_with("==")) return Term{text.substr(0, i), rest.substr(2), false};
    if (rest.starts_with("=")) return Term{text.substr(0, i), rest.substr(1), false};
  }
  return std::nullopt;
}

}  // namespace

bool FieldSelector::matches(const Json& object) const {
  const auto holds = [&](const FieldRequirement& requirement) {
    return (text_at(object, requirement.place) == requirement.value) != requirement.differs;
  };
  return std::ranges::all_of(requirements, holds);
}

Answered<FieldSelector> parse_field_selector(const ServedResource& resource,
                                             std::string_view text) {
  FieldSelector selector;
  for (const std::string& part : terms_of(text)) {
    if (part.empty()) continue;
    const auto term = term_of(part);
    const auto value = term ? unescaped(term->value) : std::nullopt;
    if (!value) {
      return bad_request(cat("invalid selector: '", text, "'; can't understand '", part, "'"));
    }
    const Field* field = find_field(resource, term->label);
    if (field == nullptr) return bad_request(cat("field label not supported: ", term->label));
    selector.requirements.push_back({field->place, *value, term->differs});
  }
  return selector;
}

Answered<ListOptions> list_options(const ApiCall& call) {
  auto timeout = call.query.number("timeoutSeconds");
  if (auto* error = std::get_if<ApiError>(&timeout)) return std::move(*error);
  auto version = call.query.number("resourceVersion");
  if (auto* error = std::get_if<ApiError>(&version)) return std::move(*error);
  auto labels = parse_label_selector(call.query.text("labelSelector"));
  if (auto* error = std::get_if<ApiError>(&labels)) return std::move(*error);
  auto fields = parse_field_selector(*call.resource, call.query.text("fieldSelector"));
  if (auto* error = std::get_if<ApiError>(&fields)) return std::move(*error);

  ListOptions options;
  options.timeout = std::get<0>(timeout);
  options.resource_version = std::get<0>(version).value_or(0);
  options.selection = {std::get<0>(std::move(labels)), std::get<0>(std::move(fields))};
  options.watch = call.query.flag("watch");
  options.bookmarks = call.query.flag("allowWatchBookmarks");
  return options;
}

std::optional<ApiError> refuse_future(std::int64_t version, const Store& store) {
  if (version <= store.version()) return std::nullopt;
  const Json causes = Json::array(
      {{{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}}});
  return ApiError{
      504,
      "Timeout",
      cat("Timeout: Too large resource version: ", version, ", current: ", store.version()),
      {{"causes", causes}, {"retryAfterSeconds", 1}}};
}

Answered<DeleteOptions> delete_options(const ApiCall& call) {
  Json body = Json::object();
  if (!call.request->body.empty()) {
    auto parsed = body_of(*call.request);
    if (auto* error = std::get_if<ApiError>(&parsed)) return std::move(*error);
    body = std::get<Json>(std::move(parsed));
  }
  DeleteOptions options;
  const std::int64_t grace = int_at(body, "/gracePeriodSeconds").value_or(-1);
  options.grace =
      static_cast<int>(std::clamp<std::int64_t>(grace, -1, std::numeric_limits<int>::max()));
  options.uid = text_at(body, "/preconditions/uid");
  options.resource_version = text_at(body, "/preconditions/resourceVersion");
  return options;
}

}  // namespace trainctl::local
