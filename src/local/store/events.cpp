// Writes events as client-go's two recorders do.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/text/text.h"
#include "local/store/object_form.h"
#include "local/store/store.h"

namespace trainctl::local {

namespace {

// A component that records through events.k8s.io, with times and counts in other fields.
struct NewRecorder {
  std::string_view component;
  std::string_view normal_action;
  std::string_view warning_action;
};
constexpr std::array k_new_recorders = {
    NewRecorder{"default-scheduler", "Binding", "Scheduling"},
};

const NewRecorder* new_recorder(std::string_view component) {
  const auto found = std::ranges::find_if(
      k_new_recorders, [&](const NewRecorder& one) { return one.component == component; });
  return found == k_new_recorders.end() ? nullptr : &*found;
}

// metav1.MicroTime
std::string microseconds(Time time) {
  std::string text = format_time(time, true);  // nine digits and a Z
  return text.substr(0, text.size() - 4) + "Z";
}

struct Occurrence {
  std::string_view type, reason, message, component, field_path;
};

Json reference_to(const Json& object, std::string_view field_path) {
  Json reference = Json::object();
  const auto copy = [&](const char* key, const char* place) {
    const std::string value = text_at(object, place);
    if (!value.empty()) reference[key] = value;
  };
  copy("kind", "/kind");
  copy("namespace", "/metadata/namespace");
  copy("name", "/metadata/name");
  copy("uid", "/metadata/uid");
  copy("apiVersion", "/apiVersion");
  copy("resourceVersion", "/metadata/resourceVersion");
  if (!field_path.empty()) reference["fieldPath"] = field_path;
  return reference;
}

bool same_at(const Json& one, const Json& other, const char* place) {
  const Json* here = find(one, place);
  const Json* there = find(other, place);
  return here == nullptr || there == nullptr ? here == there : *here == *there;
}

bool is_repetition(const Json& event, const Json& fresh) {
  // The fields that differ most often come first, since there may be thousands of events.
  constexpr std::array k_places = {"/message",
                                   "/reason",
                                   "/involvedObject/uid",
                                   "/involvedObject/fieldPath",
                                   "/type",
                                   "/reportingComponent",
                                   "/involvedObject/name",
                                   "/involvedObject/kind"};
  return std::ranges::all_of(k_places,
                             [&](const char* place) { return same_at(event, fresh, place); });
}

void count_up(Json& event, Time now) {
  if (find(event, "/count") != nullptr) {
    event["count"] = int_at(event, "/count").value_or(0) + 1;
    event["lastTimestamp"] = whole_seconds(now);
    return;
  }
  const std::int64_t count = int_at(event, "/series/count").value_or(1) + 1;
  event["series"] = {{"count", count}, {"lastObservedTime", microseconds(now)}};
}

Json new_event(const Json& object, Time now, const Occurrence& what) {
  const std::string_view component = what.component;
  Json event = Json::object();
  event["metadata"] = {{"namespace", text_at(object, "/metadata/namespace", "default")}};
  event["involvedObject"] = reference_to(object, what.field_path);
  event["reason"] = what.reason;
  event["message"] = what.message;
  event["source"] = Json::object();
  event["firstTimestamp"] = nullptr;
  event["lastTimestamp"] = nullptr;
  const NewRecorder* recorder = new_recorder(component);
  if (recorder == nullptr) {
    event["source"]["component"] = component;
    event["firstTimestamp"] = event["lastTimestamp"] = whole_seconds(now);
    event["count"] = 1;
  }
  event["type"] = what.type;
  event["eventTime"] = recorder == nullptr ? Json(nullptr) : Json(microseconds(now));
  if (recorder != nullptr) {
    const bool normal = what.type == "Normal";
    event["action"] = normal ? recorder->normal_action : recorder->warning_action;
  }
  event["reportingComponent"] = component;
  event["reportingInstance"] = "";
  return event;
}

// The kubelet's events name its node.
void name_host(Json& event, const Json& object, std::string_view component) {
  const std::string host = text_at(object, "/spec/nodeName");
  if (component != "kubelet" || host.empty()) return;
  event["source"]["host"] = host;
  event["reportingInstance"] = host;
}

std::string hexadecimal(unsigned long long number) {
  constexpr int k_base = 16;
  std::array<char, sizeof(number) * 2> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number, k_base).ptr;
  return {digits.begin(), end};
}

// "NAME." and the time in hexadecimal; two events of one moment must differ.
std::string free_name(const Store& store, const Json& object, std::string_view ns, Time now) {
  auto stamp = static_cast<unsigned long long>(now.time_since_epoch().count());
  while (true) {
    std::string name = cat(text_at(object, "/metadata/name"), '.', hexadecimal(stamp++));
    if (!store.get(resource_of(kube::k_events), ns, name)) return name;
  }
}

}  // namespace

void record_event(Store& store, const Json& object, std::string_view type, std::string_view reason,
                  std::string_view message, std::string_view component,
                  std::string_view field_path) {
  const ServedResource& events = resource_of(kube::k_events);
  const Time now = store.now();
  Json event = new_event(object, now, {type, reason, message, component, field_path});
  name_host(event, object, component);

  const std::string ns = text_at(event, "/metadata/namespace");
  const std::string prefix = text_at(object, "/metadata/name") + '.';
  for (const std::shared_ptr<const Json>& known : store.list(events, ns, prefix)) {
    if (!is_repetition(*known, event)) continue;
    Json repeated = *known;
    count_up(repeated, now);
    (void)store.update(events, std::move(repeated));
    return;
  }
  set_at(event, "/metadata/name", free_name(store, object, ns, now));
  (void)store.create(events, std::move(event));
}

}  // namespace trainctl::local
