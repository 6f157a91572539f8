// The fields each kind can be selected by, and the grammar of k8s.io/apimachinery/pkg/fields.
#include "local/api/field_selector.h"

#include <algorithm>
#include <optional>

#include "base/text/text.h"

namespace trainctl::local {

namespace {

struct Field {
  std::string_view plural;  // "" = every kind
  std::string_view label;
  std::string_view place;
  std::string_view fallback = "";
};

// AddFieldLabelConversionFunc of each core kind (pkg/apis/core/v1/conversion.go).
constexpr Field k_selectable[] = {
    {"", "metadata.name", "/metadata/name"},
    {"", "metadata.namespace", "/metadata/namespace"},
    {"pods", "spec.nodeName", "/spec/nodeName"},
    {"pods", "spec.restartPolicy", "/spec/restartPolicy"},
    {"pods", "spec.schedulerName", "/spec/schedulerName"},
    {"pods", "spec.serviceAccountName", "/spec/serviceAccountName"},
    {"pods", "status.phase", "/status/phase"},
    {"pods", "status.podIP", "/status/podIP"},
    {"pods", "status.nominatedNodeName", "/status/nominatedNodeName"},
    {"events", "involvedObject.kind", "/involvedObject/kind"},
    {"events", "involvedObject.namespace", "/involvedObject/namespace"},
    {"events", "involvedObject.name", "/involvedObject/name"},
    {"events", "involvedObject.uid", "/involvedObject/uid"},
    {"events", "involvedObject.apiVersion", "/involvedObject/apiVersion"},
    {"events", "involvedObject.resourceVersion", "/involvedObject/resourceVersion"},
    {"events", "involvedObject.fieldPath", "/involvedObject/fieldPath"},
    {"events", "reason", "/reason"},
    {"events", "reportingComponent", "/reportingComponent"},
    {"events", "source", "/source/component", "/reportingComponent"},
    {"events", "type", "/type"},
    {"namespaces", "status.phase", "/status/phase"},
    {"secrets", "type", "/type"},
    {"services", "spec.clusterIP", "/spec/clusterIP"},
    {"services", "spec.type", "/spec/type"},
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
    std::string value;
    for (const std::string_view place : requirement.places) {
      if (value.empty() && !place.empty()) value = text_at(object, place);
    }
    return (value == requirement.value) != requirement.differs;
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
    selector.requirements.push_back({{field->place, field->fallback}, *value, term->differs});
  }
  return selector;
}

}  // namespace trainctl::local
