// Writes files of reports, notifies, and prints.
#include "cli/output/reports.h"

#include <utility>

#include "cli/output/output.h"
#include "job/follow/junit.h"
#include "job/follow/report.h"
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

}  // namespace

void warn_of(Context& context, const Status& status) {
  if (!status) context.console.warn(status.error().message);
}

void notify(Context& context, const WaitFlags& flags, const Json& report) {
  if (!flags.notify.empty()) warn_of(context, notify_target(context, flags.notify, report));
}

void Reports::add(const job::Kind* kind, Json report) {
  kinds_.push_back(kind);
  reports_.push_back(std::move(report));
}

void Reports::write() const {
  if (reports_.empty()) return;
  if (!flags_.result_file.empty()) {
    const Json whole = shape_ == Shape::one_job ? reports_.front() : job::job_report_list(reports_);
    warn_of(context_, context_.files.write(flags_.result_file, dump(whole, k_indent) + '\n'));
  }
  if (!flags_.junit.empty()) {
    warn_of(context_, context_.files.write(flags_.junit, job::junit_xml(reports_)));
  }
}

Status Reports::print(Format format) const {
  if (!is_job_format(format)) return {};
  const bool as_list = format == Format::json || format == Format::yaml;
  if (shape_ == Shape::several && as_list) {
    return print_data(context_, format, job::job_report_list(reports_));
  }
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    if (format == Format::manifest && i > 0) TRY(context_.console.out("---\n"));
    TRY(print_report(context_, format, *kinds_[i], reports_[i]));
  }
  return {};
}

}  // namespace trainctl::cli
