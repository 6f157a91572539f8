// The server's words in findings are printed on one line each.
#include "check/check_report.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainctl::view {
namespace {

struct SeverityStyle {
  job::Severity severity;
  std::string_view mark;
  std::string_view word;
  Colour colour;
};
constexpr SeverityStyle k_severity_styles[] = {
    {job::Severity::passes, "✓", "passes", Colour::green},
    {job::Severity::unchecked, "?", "unchecked", Colour::yellow},
    {job::Severity::unknown, "?", "unknown", Colour::grey},
    {job::Severity::may_fail, "!", "may-fail", Colour::yellow},
    {job::Severity::fails, "✗", "fails", Colour::red},
};

const SeverityStyle& style_of(job::Severity severity) {
  return *std::ranges::find(k_severity_styles, severity, &SeverityStyle::severity);
}

}  // namespace

void put_worst_last(job::Findings& findings) {
  std::ranges::stable_sort(findings, {}, &job::Finding::severity);
}

std::string check_text(const Viewer& viewer, const job::Findings& findings) {
  std::string text;
  for (const job::Finding& one : findings) {
    const SeverityStyle& style = style_of(one.severity);
    text += cat(viewer.console.painted(style.mark, style.colour), ' ', printable_line(one.subject),
                ": ", printable_line(one.message), '\n');
    if (one.remedy.empty()) continue;
    for (const std::string& line : split(one.remedy, '\n')) {
      text += cat("  ", printable_line(viewer.runnable(line)), '\n');
    }
  }
  return text;
}

Json check_report(const Viewer& viewer, const job::Kind& kind, std::string_view ns,
                  const Json& manifest, const job::Findings& findings) {
  job::Severity worst = job::Severity::passes;
  Json listed = Json::array();
  for (const job::Finding& one : findings) {
    worst = std::max(worst, one.severity);
    Json entry = {{"outcome", style_of(one.severity).word},
                  {"subject", one.subject},
                  {"message", one.message}};
    if (!one.remedy.empty()) entry["remedy"] = viewer.runnable(one.remedy);
    listed.push_back(std::move(entry));
  }
  Json report = {{"apiVersion", "trainctl/v1"}, {"kind", "CheckReport"}};
  if (std::string name = text_at(manifest, "/metadata/name"); !name.empty()) {
    report["name"] = std::move(name);
  }
  report["namespace"] = ns;
  report["jobKind"] = kind.resource.kind;
  report["outcome"] = style_of(worst).word;
  report["findings"] = std::move(listed);
  return report;
}

}  // namespace trainctl::view
