// Which events are a job's, in which order they happened, and which say the same.
#include "job/status/events.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "job/kind/replica.h"
#include "job/manifest/sources.h"
#include "job/status/pod_state.h"

namespace trainctl::job {

namespace {

std::string first_text(const Json& event, std::string_view pointer, std::string_view otherwise) {
  const std::string text = text_at(event, pointer);
  return text.empty() ? text_at(event, otherwise) : text;
}

// Recorders end an event's name with the nanoseconds of its first occurrence, as 16 hexadecimal
// digits; its time stamps have but seconds.
std::string recorded(const Json& event) {
  const std::string name = text_at(event, "/metadata/name");
  const auto dot = name.rfind('.');
  if (dot == std::string::npos) return "";
  const std::string stamp = name.substr(dot + 1);
  const bool hexadecimal = stamp.find_first_not_of("0123456789abcdef") == std::string::npos;
  return stamp.size() == 16 && hexadecimal ? stamp : "";
}

auto order(const JobEvent& event) {
  const auto second = std::chrono::floor<std::chrono::seconds>(event.last.value_or(Time{}));
  return std::tuple(second, event.recorded);
}

bool says_the_same(const JobEvent& a, const JobEvent& b) {
  return std::tie(a.subject, a.type, a.reason, a.message) ==
         std::tie(b.subject, b.type, b.reason, b.message);
}

}  // namespace

std::optional<Time> first_event_time(const Json& event) {
  for (const char* place : {"/firstTimestamp", "/eventTime", "/metadata/creationTimestamp"}) {
    if (const auto time = parse_time(text_at(event, place))) return time;
  }
  return event_time(event);
}

void sort_by_time(std::vector<Json>& events) {
  std::stable_sort(events.begin(), events.end(), [](const Json& a, const Json& b) {
    return event_time(a).value_or(Time{}) < event_time(b).value_or(Time{});
  });
}

JobEvents::JobEvents(const Kind& kind, const Json& job, std::span<const Json> pods)
    : kind_(kind),
      job_(job),
      name_(text_at(job, "/metadata/name")),
      uid_(text_at(job, "/metadata/uid")),
      created_(parse_time(text_at(job, "/metadata/creationTimestamp"))) {
  add_pods(pods);
  for (const Source& source : sources_of(kind, job)) {
    if (source.kind == "claim") claims_.insert(source.name);
  }
}

void JobEvents::add_pods(std::span<const Json> pods) {
  for (const Json& pod : pods) {
    const std::string uid = text_at(pod, "/metadata/uid");
    const auto replica = replica_of(kind_, pod);
    if (!owned_by(pod, uid_)) {
      foreign_pods_.insert(uid);
    } else if (replica) {
      own_pods_.emplace(uid, replica->name());
    }
  }
}

std::string JobEvents::replica_named(std::string_view pod_name) const {
  if (!pod_name.starts_with(name_ + "-")) return "";
  const auto replica = find_replica(kind_, job_, pod_name);
  return replica ? replica->name() : "";
}

std::string JobEvents::subject(const Json& event) const {
  const std::string uid = text_at(event, "/involvedObject/uid");
  if (!uid.empty() && uid == uid_) return std::string(k_job_subject);
  if (const auto own = own_pods_.find(uid); own != own_pods_.end()) return own->second;
  // What is gone is known by its name; what happened before the job was made was a namesake's.
  if (foreign_pods_.contains(uid) || event_time(event) < created_) return "";
  const std::string kind = text_at(event, "/involvedObject/kind");
  const std::string name = text_at(event, "/involvedObject/name");
  if (kind == "Pod") return replica_named(name);
  if (kind == "Service" && !replica_named(name).empty()) return "service/" + name;
  if (kind == "PersistentVolumeClaim" && claims_.contains(name)) return "claim/" + name;
  return "";
}

std::optional<JobEvent> JobEvents::read(const Json& event) const {
  JobEvent read;
  read.subject = subject(event);
  if (read.subject.empty()) return std::nullopt;
  read.uid = text_at(event, "/metadata/uid");
  read.kind = text_at(event, "/involvedObject/kind");
  read.name = text_at(event, "/involvedObject/name");
  read.type = text_at(event, "/type");
  read.reason = text_at(event, "/reason");
  read.message = std::string(trim(text_at(event, "/message")));
  read.source = first_text(event, "/reportingComponent", "/source/component");
  const auto series = int_at(event, "/series/count");
  read.count = std::max<std::int64_t>(1, series.value_or(int_at(event, "/count").value_or(1)));
  read.first = first_event_time(event);
  read.last = event_time(event);
  read.recorded = recorded(event);
  return read;
}

std::vector<JobEvent> merged(std::vector<JobEvent> events) {
  const auto earlier = [](const JobEvent& a, const JobEvent& b) { return order(a) < order(b); };
  std::stable_sort(events.begin(), events.end(), earlier);
  std::vector<JobEvent> folded;
  for (JobEvent& event : events) {
    const auto same = std::find_if(folded.begin(), folded.end(), [&event](const JobEvent& other) {
      return says_the_same(event, other);
    });
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
