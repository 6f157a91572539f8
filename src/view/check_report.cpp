// The server's words in findings are printed on one line each.
#include "view/check_report.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainctl::view {
namespace {

struct ProspectLook {
  job::Prospect prospect;
  std::string_view mark;
  std::string_view word;
  Colour colour;
};
constexpr ProspectLook k_prospect_looks[] = {
    {job::Prospect::passes, "✓", "passes", Colour::green},
    {job::Prospect::unknown, "?", "unknown", Colour::grey},
    {job::Prospect::may_fail, "!", "may-fail", Colour::yellow},
    {job::Prospect::fails, "✗", "fails", Colour::red},
};

const ProspectLook& look_of(job::Prospect prospect) {
  return *std::ranges::find(k_prospect_looks, prospect, &ProspectLook::prospect);
}

}  // namespace

void put_worst_last(job::Findings& findings) {
  std::ranges::stable_sort(findings, {}, &job::Finding::prospect);
}

std::string check_text(const Viewer& viewer, const job::Findings& findings) {
  std::string text;
  for (const job::Finding& one : findings) {
    const ProspectLook& look = look_of(one.prospect);
    text += cat(viewer.console.painted(look.mark, look.colour), ' ', printable_line(one.subject),
                ": ", printable_line(one.message), '\n');
    if (one.remedy.empty()) continue;
    for (const std::string& line : split(one.remedy, '\n')) {
      text += cat("  ", printable_line(viewer.typeable(line)), '\n');
    }
  }
  return text;
}

Json check_report(const job::Kind& kind, std::string_view ns, const Json& manifest,
                  const job::Findings& findings) {
  job::Prospect worst = job::Prospect::passes;
  Json listed = Json::array();
  for (const job::Finding& one : findings) {
    worst = std::max(worst, one.prospect);
    Json entry = {{"outcome", look_of(one.prospect).word},
                  {"subject", one.subject},
                  {"message", one.message}};
    if (!one.remedy.empty()) entry["remedy"] = one.remedy;
    listed.push_back(std::move(entry));
  }
  Json report = {{"apiVersion", "trainctl/v1"}, {"kind", "CheckReport"}};
  if (std::string name = text_at(manifest, "/metadata/name"); !name.empty()) {
    report["name"] = std::move(name);
  }
  report["namespace"] = ns;
  report["jobKind"] = kind.resource.kind;
  report["outcome"] = look_of(worst).word;
  report["findings"] = std::move(listed);
  return report;
}

}  // namespace trainctl::view
