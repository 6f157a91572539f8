// A run counts with the GPUs that its manifest requests, from its start to its end.
#include "history/gpu_hours.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ratio>

#include "base/text/text.h"
#include "base/text/words.h"
#include "history/run_report.h"
#include "kube/object/metadata.h"
#include "manifest/footprint.h"
#include "work/find/default_job.h"

namespace trainctl::work {
namespace {

using By = GpuHoursKey::By;
constexpr Word<By> k_keys[] = {{"user", By::user}, {"name", By::name}, {"kind", By::kind}};
constexpr std::string_view k_label_key = "label=";

std::string group_of(const PastRun& run, const GpuHoursKey& key) {
  switch (key.by) {
    case By::user:
      return owner_of(run.manifest);
    case By::name:
      return run.name;
    case By::kind:
      return run.kind;
    case By::label:
      return text_at(run.manifest, kube::label_pointer(key.label));
    case By::nothing:
      break;
  }
  return "";
}

void count(double hours, GpuHoursGroup& group) {
  ++group.runs;
  group.hours += hours;
}

// Hundredths are half a minute of a GPU.
double rounded(double hours) {
  constexpr double k_hundred = 100;
  return std::round(hours * k_hundred) / k_hundred;
}

Json group_report(const GpuHoursGroup& group) {
  return {{"runs", group.runs}, {"gpuHours", rounded(group.hours)}};
}

}  // namespace

std::string GpuHoursKey::text() const {
  if (by == By::nothing) return "";
  return by == By::label ? cat(k_label_key, label) : std::string(word_of(k_keys, by));
}

Result<GpuHoursKey> parse_gpu_hours_key(std::string_view text) {
  if (text.empty()) return GpuHoursKey{};
  if (const auto by = value_of(k_keys, text)) return GpuHoursKey{*by, ""};
  if (text.starts_with(k_label_key) && text.size() > k_label_key.size()) {
    return GpuHoursKey{By::label, std::string(text.substr(k_label_key.size()))};
  }
  return Error{Code::usage, cat("--by ", text, ": runs have no such group"),
               "write user, name, kind or label=KEY"};
}

GpuHours gpu_hours(const std::vector<PastRun>& runs, const GpuHoursKey& key) {
  GpuHours all;
  std::map<std::string, GpuHoursGroup> groups;
  for (const PastRun& run : runs) {
    const auto duration = duration_of(run);
    if (!duration) {
      ++all.without_duration;
      continue;
    }
    const job::Kind* kind = job::kind_of(run.manifest);
    const auto gpus = kind == nullptr ? std::nullopt : job::gpu_count(*kind, run.manifest);
    if (!gpus) {
      ++all.without_gpus;
      continue;
    }
    using Hours = std::chrono::duration<double, std::ratio<3600>>;
    const double hours = static_cast<double>(*gpus) * Hours(*duration).count();
    count(hours, all.total);
    if (key.by != By::nothing) count(hours, groups[group_of(run, key)]);
  }
  for (auto& [name, group] : groups) {
    group.name = name;
    all.groups.push_back(group);
  }
  std::ranges::stable_sort(all.groups, std::greater<>(), &GpuHoursGroup::hours);
  return all;
}

std::string not_counted_words(const GpuHours& hours) {
  std::vector<std::string> parts;
  if (hours.without_duration > 0) {
    parts.push_back(cat(plural(hours.without_duration, "run"), " without a duration"));
  }
  if (hours.without_gpus > 0) {
    parts.push_back(cat(plural(hours.without_gpus, "run"), " whose GPUs are not known"));
  }
  return parts.empty() ? "" : cat("not counted: ", join(parts, ", "));
}

Json gpu_hours_report(const GpuHours& hours, const GpuHoursKey& key) {
  Json report = {{"apiVersion", "trainctl/v1"}, {"kind", "GpuHours"}};
  if (key.by != By::nothing) {
    report["by"] = key.text();
    report["groups"] = Json::array();
    for (const GpuHoursGroup& group : hours.groups) {
      Json entry = {{"name", group.name}};
      entry.update(group_report(group));
      report["groups"].push_back(std::move(entry));
    }
  }
  report["total"] = group_report(hours.total);
  report["notCounted"] = {{"withoutDuration", hours.without_duration},
                          {"withoutGpus", hours.without_gpus}};
  return report;
}

}  // namespace trainctl::work
