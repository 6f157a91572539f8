// Builds --toleration, the node taints that a pod tolerates, in kubectl's spelling or Run:ai's.
#include "base/text/text.h"
#include "manifest/flags/builders.h"
#include "manifest/flags/values.h"
#include "manifest/kind/names.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_toleration_shape =
    "KEY=VALUE:EFFECT, or operator=,key=,value=,effect=,seconds=";

bool is_effect(std::string_view text) {
  return text == "NoSchedule" || text == "PreferNoSchedule" || text == "NoExecute";
}

// Parses "gpu=a100:NoSchedule" and "gpu:NoSchedule", as given to `kubectl taint`. A bare word is
// more likely a mistake than a taint to be tolerated with all its effects; operator=Exists,key=…
// requests that.
Result<Json> from_taint(std::string_view text) {
  Json toleration = Json::object();
  const Halves parts = split_once(text, ':');
  if (!parts.found) return bad_value(text, cat("is not ", k_toleration_shape));
  const Halves pair = split_once(parts.first, '=');
  toleration["key"] = pair.first;
  toleration["operator"] = pair.found ? "Equal" : "Exists";
  if (pair.found) toleration["value"] = pair.second;
  toleration["effect"] = parts.second;
  return toleration;
}

Result<Json> from_fields(std::string_view text) {
  Json toleration = Json::object();
  for (const std::string& field : split(text, ',')) {
    const Halves pair = split_once(field, '=');
    if (!pair.found) return bad_value(field, cat("is not a field of ", k_toleration_shape));
    if (pair.first == "operator" || pair.first == "key" || pair.first == "value" ||
        pair.first == "effect") {
      toleration[pair.first] = pair.second;
    } else if (pair.first == "seconds") {
      TRY_ASSIGN(toleration["tolerationSeconds"], check_count(pair.second));
    } else {
      return bad_value(field, cat("is not a field of ", k_toleration_shape));
    }
  }
  return toleration;
}

// A taint's key may also be "key", but its effect follows a colon.
bool is_structured(std::string_view text) {
  return text.find(':') == std::string_view::npos &&
         (text.find(',') != std::string_view::npos || text.starts_with("operator=") ||
          text.starts_with("key="));
}

Status check_toleration(std::string_view text, const Json& toleration) {
  const std::string key = text_at(toleration, "/key");
  const std::string op = text_at(toleration, "/operator", "Equal");
  const std::string effect = text_at(toleration, "/effect");
  if (op != "Exists" && op != "Equal") return bad_value(op, "is neither Exists nor Equal");
  if (key.empty() && op != "Exists")
    return bad_value(text, "has no key", std::string(k_toleration_shape));
  if (!key.empty()) {
    if (const auto fault = qualified_name_fault(key); !fault.empty()) return bad_value(key, fault);
  }
  const std::string value = text_at(toleration, "/value");
  if (op == "Exists" && !value.empty()) {
    return bad_value(text, "has a value, which operator Exists does not take");
  }
  if (const auto fault = label_value_fault(value); !fault.empty()) return bad_value(value, fault);
  if (toleration.contains("effect") && !is_effect(effect)) {
    return bad_value(effect, "is not an effect", "one of NoSchedule, PreferNoSchedule, NoExecute");
  }
  if (toleration.contains("tolerationSeconds") && effect != "NoExecute") {
    return bad_value(text, "has seconds, which only the effect NoExecute takes");
  }
  return {};
}

}  // namespace

Result<Json> build_toleration(const PatchInput& input) {
  Json tolerations = Json::array();
  for (const std::string& text : input.values) {
    Result<Json> toleration = is_structured(text) ? from_fields(text) : from_taint(text);
    TRY(toleration);
    TRY(check_toleration(text, *toleration));
    tolerations.push_back(*std::move(toleration));
  }
  return Json{{"tolerations", std::move(tolerations)}};
}

}  // namespace trainctl::job
