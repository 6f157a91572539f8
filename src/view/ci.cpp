// Writes the commands that GitHub and GitLab read in a log to stderr, so that stdout holds only
// data.
#include "view/ci.h"

#include <span>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "follow/report.h"
#include "manifest/secrets.h"

namespace trainctl::view {
namespace {

constexpr std::string_view k_clear_line = "\x1b[0K";  // GitLab hides section marks with it

// A workflow command ends at the end of its line; in a property, ':' and ',' also end the value.
// The older spelling of a command is one anywhere in a line, so it is none in here, either.
std::string github_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : without_ci_commands(CiSystem::github, text)) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? percent_escaped(c) : std::string(1, c);
  }
  return out;
}

std::string gitlab_mark(std::string_view mark, Time now, std::string_view job,
                        std::string_view title) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  return cat(k_clear_line, mark, ':', seconds, ":trainctl_", job, '\r', k_clear_line, title, '\n');
}

std::string annotation(const Json& report) {
  std::string text = text_at(report, "/verdict/message");
  for (const Json& line : array_at(report, "/digest/lastLines")) {
    text += '\n' + printable_line(line.get_ref<const std::string&>());
  }
  const std::string title =
      cat("job ", job::title_name(report), ' ', text_at(report, "/verdict/result"));
  return cat(job::is_retried(report) ? "::warning title=" : "::error title=",
             github_escaped(title, true), "::", github_escaped(text, false), '\n');
}

// No value may begin another line.
std::string output_line(std::string_view name, std::string_view value) {
  return cat(name, '=', printable_line(value), '\n');
}

}  // namespace

CiSystem ci_system_of(const Environment& environment) {
  if (environment.is_on("GITHUB_ACTIONS")) return CiSystem::github;
  if (environment.is_on("GITLAB_CI")) return CiSystem::gitlab;
  if (environment.is_on("TF_BUILD")) return CiSystem::azure;
  return environment.is_on("CI") ? CiSystem::plain : CiSystem::none;
}

CiLog::CiLog(work::Access& access, CiSystem system) : access_(access), system_(system) {
  if (system == CiSystem::none) return;
  Console& console = access.console;
  // Output to a terminal is still made safe for the terminal.
  console.in_is_tty = console.redraws = console.colour = false;
}

void CiLog::begin_lines(const std::string& job) {
  job_ = printable_line(job);  // a server's word, in a command of ours
  if (system_ == CiSystem::github) {
    access_.console.command(cat("::group::logs of ", github_escaped(job_, false), '\n'));
  } else if (system_ == CiSystem::gitlab) {
    access_.console.command(
        gitlab_mark("section_start", access_.loop.now(), job_, cat("logs of ", job_)));
  }
}

void CiLog::end_lines() {
  if (job_.empty()) return;
  if (system_ == CiSystem::github) {
    access_.console.command("::endgroup::\n");
  } else if (system_ == CiSystem::gitlab) {
    access_.console.command(gitlab_mark("section_end", access_.loop.now(), job_, ""));
  }
  job_.clear();
}

Status CiLog::conclude(const Json& whole) {
  if (system_ != CiSystem::github) return {};
  const Json report = job::report_without_secrets(whole);
  if (int_at(report, "/verdict/exitStatus") != 0) access_.console.command(annotation(report));
  const std::string page = access_.environment.text("GITHUB_STEP_SUMMARY");
  if (page.empty()) return {};
  return access_.files.append(page, job::markdown_summary(report));
}

Status CiLog::set_outputs(std::span<const Json> reports, const Status& outcome) {
  const std::string path = access_.environment.text("GITHUB_OUTPUT");
  if (system_ != CiSystem::github || path.empty() || reports.empty()) return {};
  std::vector<std::string> names;
  const std::string phase = text_at(reports.front(), "/phase");
  bool is_common = true;
  for (const Json& report : reports) {
    if (std::string name = text_at(report, "/name"); !name.empty()) names.push_back(name);
    is_common = is_common && text_at(report, "/phase") == phase;
  }
  const Code code = outcome ? Code::ok : outcome.error().code;
  const std::string message = outcome ? "" : job::text_without_secrets(outcome.error().message);
  return access_.files.append(
      path, cat(output_line("job", join(names, " ")), output_line("phase", is_common ? phase : ""),
                output_line("verdict", exit_word(code)),
                output_line("exit-status", cat(static_cast<int>(code))),
                output_line("message", message)));
}

}  // namespace trainctl::view
