// Decides which events concern a job, in which order they happened, and which are repetitions.
#include "status/events.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text/text.h"

namespace trainctl::job {

namespace {

std::string first_text(const Json& event, std::string_view pointer, std::string_view otherwise) {
  const std::string text = text_at(event, pointer);
  return text.empty() ? text_at(event, otherwise) : text;
}

// Recorders end an event's name with the nanoseconds of its first occurrence, as 16 hexadecimal
// digits; its time stamps have only seconds.
std::string recorded(const Json& event) {
  const std::string name = text_at(event, "/metadata/name");
  const auto dot = name.rfind('.');
  if (dot == std::string::npos) return "";
  const std::string stamp = name.substr(dot + 1);
  const bool hexadecimal = stamp.find_first_not_of("0123456789abcdef") == std::string::npos;
  return stamp.size() == 16 && hexadecimal ? stamp : "";
}

// The scheduler writes microseconds, others seconds.
using EventOrder = std::pair<Time, std::string>;

EventOrder order(std::optional<Time> last, std::string recorded) {
  return {std::chrono::floor<std::chrono::seconds>(last.value_or(Time{})), std::move(recorded)};
}

bool says_the_same(const JobEvent& a, const JobEvent& b) {
  return std::tie(a.subject, a.type, a.reason, a.message) ==
         std::tie(b.subject, b.type, b.reason, b.message);
}

}  // namespace

std::optional<Time> event_time(const Json& event) {
  for (const char* place : {"/series/lastObservedTime", "/lastTimestamp", "/eventTime",
                            "/metadata/creationTimestamp"}) {
    if (const auto time = parse_time(text_at(event, place))) return time;
  }
  return std::nullopt;
}

std::optional<Time> first_event_time(const Json& event) {
  for (const char* place : {"/firstTimestamp", "/eventTime", "/metadata/creationTimestamp"}) {
    if (const auto time = parse_time(text_at(event, place))) return time;
  }
  return event_time(event);
}

std::int64_t event_count(const Json& event) {
  const auto series = int_at(event, "/series/count");
  return std::max<std::int64_t>(1, series.value_or(int_at(event, "/count").value_or(1)));
}

void sort_by_time(std::vector<const Json*>& events) {
  std::vector<std::pair<EventOrder, const Json*>> ordered;
  ordered.reserve(events.size());
  for (const Json* event : events) {
    ordered.emplace_back(order(event_time(*event), recorded(*event)), event);
  }
  std::ranges::stable_sort(ordered, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::ranges::transform(ordered, events.begin(), [](const auto& each) { return each.second; });
}

JobEvents::JobEvents(const Kind& kind, const Json& job, std::span<const Json> pods)
    : ownership_(kind, job) {
  for (const Json& pod : pods) ownership_.add_pod(pod);
}

std::optional<JobEvent> JobEvents::read(const Json& event) const {
  JobEvent read;
  read.subject = ownership_.subject(event);
  if (read.subject.empty()) return std::nullopt;
  read.uid = text_at(event, "/metadata/uid");
  read.kind = text_at(event, "/involvedObject/kind");
  read.name = text_at(event, "/involvedObject/name");
  read.type = text_at(event, "/type");
  read.reason = text_at(event, "/reason");
  read.message = std::string(trim(text_at(event, "/message")));
  read.source = first_text(event, "/reportingComponent", "/source/component");
  read.count = event_count(event);
  read.first = first_event_time(event);
  read.last = event_time(event);
  read.recorded = recorded(event);
  return read;
}

std::vector<JobEvent> merged(std::vector<JobEvent> events) {
  const auto earlier = [](const JobEvent& a, const JobEvent& b) {
    return order(a.last, a.recorded) < order(b.last, b.recorded);
  };
  std::ranges::stable_sort(events, earlier);
  std::vector<JobEvent> folded;
  for (JobEvent& event : events) {
    const auto same = std::ranges::find_if(
        folded, [&event](const JobEvent& other) { return says_the_same(event, other); });
    if (same != folded.end()) {
      event.count += same->count;
      if (same->first && (!event.first || *same->first < *event.first)) event.first = same->first;
      folded.erase(same);
    }
    folded.push_back(std::move(event));
  }
  return folded;
}

Json event_report(const JobEvent& event) {
  Json report = Json::object();
  if (event.last) report["time"] = format_time(*event.last);
  if (event.first) report["firstTime"] = format_time(*event.first);
  report["count"] = event.count;
  report["type"] = event.type;
  report["subject"] = event.subject;
  report["kind"] = event.kind;
  report["name"] = event.name;
  report["reason"] = event.reason;
  report["message"] = event.message;
  if (!event.source.empty()) report["source"] = event.source;
  return report;
}

}  // namespace trainctl::job
