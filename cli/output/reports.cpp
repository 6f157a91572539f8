// Writes files of reports, notifies, and prints.
#include "cli/output/reports.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "cli/output/hint.h"
#include "cli/output/output.h"
#include "job/follow/report.h"
#include "job/manifest/array.h"
#include "job/status/state.h"
#include "kube/object/metadata.h"
#include "work/notify/notify.h"

namespace trainctl::cli {
namespace {

constexpr int k_indent = 2;

Status notify_target(Context& context, const std::string& target, const Json& report) {
  if (!work::is_hook(target)) return work::run_notifier(context, target, report);
  TRY_ASSIGN(const auto endpoint, work::hook_endpoint(context, target));
  TRY_ASSIGN(const auto transport, context.make_transport(endpoint));
  return work::post_notice(context.loop, *transport, target, report);
}

// The array that all of these are of; "" when they are not of one.
std::string common_array(const std::vector<Json>& reports) {
  const std::string label = cat("/object", kube::label_pointer(job::k_label_array));
  const std::string first = text_at(reports.front(), label);
  const bool same = std::ranges::all_of(
      reports, [&](const Json& report) { return text_at(report, label) == first; });
  return same ? first : "";
}

}  // namespace

void warn_of(Context& context, const Status& status) {
  if (!status) context.console.warn(status.error().message);
}

void notify(Context& context, const options::WaitFlags& flags, const Json& report) {
  if (job::is_retried(report) || flags.notify.empty()) return;
  warn_of(context, notify_target(context, flags.notify, report));
}

void Reports::add(const job::Kind* kind, Json report) {
  if (shape_ == Shape::attempts) report["attempt"] = reports_.size() + 1;
  kinds_.push_back(kind);
  reports_.push_back(std::move(report));
}

void Reports::settle_last() {
  job::set_retried(reports_.back(), false);
  notify(context_, flags_, reports_.back());
}

Json Reports::single() const {
  Json report = reports_.back();
  if (reports_.size() > 1) {
    report["earlierAttempts"] = Json(std::vector<Json>(reports_.begin(), reports_.end() - 1));
  }
  return report;
}

void Reports::write() const {
  if (reports_.empty()) return;
  if (!flags_.result_file.empty()) {
    const Json whole = shape_ == Shape::several ? job::job_report_list(reports_) : single();
    warn_of(context_, context_.files.write(flags_.result_file, dump(whole, k_indent) + '\n'));
  }
  if (!flags_.junit.empty()) {
    warn_of(context_, context_.files.write(flags_.junit, job::junit_xml(reports_)));
  }
}

std::string Reports::summary() const {
  if (shape_ != Shape::several || reports_.size() < 2) return "";
  std::vector<std::string> others;
  bool have_failed = true;  // so that --failed means them all
  for (const Json& report : reports_) {
    const bool is_of_array = std::ranges::find(arrays_, text_at(report, "/name")) != arrays_.end();
    if (is_of_array || int_at(report, "/verdict/exitStatus") == 0) continue;
    others.push_back(text_at(report, "/name"));
    have_failed = have_failed && text_at(report, "/phase") == job::phase_name(job::Phase::failed);
  }
  const auto count = static_cast<long>(reports_.size() - arrays_.size());
  if (others.empty()) return cat(arrays_.empty() ? "all " : "", plural(count, "job"), " succeeded");
  const std::string array = have_failed ? common_array(reports_) : "";
  const std::string again = with_place(cat("trainctl rerun ", array, " --failed"), context_);
  return cat(count - static_cast<long>(others.size()), " of ", plural(count, "job"),
             " succeeded; the others: ", join(others, ", "),
             array.empty() ? "" : cat(" (to rerun: ", again, ")"));
}

Status Reports::print(options::Format format) const {
  if (!is_job_format(format)) return {};
  const bool as_list = format == options::Format::json || format == options::Format::yaml;
  if (shape_ == Shape::several && as_list) {
    return print_data(context_, format, job::job_report_list(reports_));
  }
  if (shape_ == Shape::attempts) {
    return reports_.empty() ? Status() : print_report(context_, format, *kinds_.back(), single());
  }
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    if (find(reports_[i], "/object") == nullptr) continue;  // there is no job to print
    TRY(print_report(context_, format, *kinds_[i], reports_[i]));
  }
  return {};
}

}  // namespace trainctl::cli
