// The commands that GitHub and GitLab read in a log, written to stderr: stdout stays data.
#include "cli/output/ci.h"

#include "base/text.h"
#include "job/follow/summary.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_clear_line = "\x1b[0K";  // GitLab hides section marks behind it

bool is_true(const Environment& environment, std::string_view name) {
  const std::string value = environment.text(name);
  return !value.empty() && value != "false" && value != "0";
}

// A workflow command ends at its line's end; in a property ':' and ',' end the value as well.
std::string github_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    constexpr std::string_view k_digits = "0123456789ABCDEF";
    if (special) {
      out += {'%', k_digits[static_cast<unsigned char>(c) >> 4U], k_digits[c & 0x0F]};
    } else {
      out += c;
    }
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
      cat("job ", text_at(report, "/name"), ' ', text_at(report, "/verdict/result"));
  return cat("::error title=", github_escaped(title, true), "::", github_escaped(text, false),
             '\n');
}

}  // namespace

CiSystem ci_system(std::string_view choice, const Environment& environment) {
  if (choice == "github") return CiSystem::github;
  if (choice == "gitlab") return CiSystem::gitlab;
  if (choice == "plain") return CiSystem::plain;
  if (choice == "none") return CiSystem::none;
  if (is_true(environment, "GITHUB_ACTIONS")) return CiSystem::github;
  if (is_true(environment, "GITLAB_CI")) return CiSystem::gitlab;
  return is_true(environment, "CI") ? CiSystem::plain : CiSystem::none;
}

CiLog::CiLog(Context& context, CiSystem system) : context_(context), system_(system) {
  if (system == CiSystem::none) return;
  Console& console = context.console;
  console.in_is_tty = console.out_is_tty = console.err_is_tty = console.colour = false;
}

void CiLog::begin_lines(const std::string& job) {
  job_ = job;
  if (system_ == CiSystem::github) {
    context_.console.err(cat("::group::logs of ", job, '\n'));
    stop_commands();
  } else if (system_ == CiSystem::gitlab) {
    context_.console.err(
        gitlab_mark("section_start", context_.loop.now(), job, cat("logs of ", job)));
  }
}

void CiLog::end_lines() {
  if (job_.empty()) return;
  if (system_ == CiSystem::github) {
    resume_commands();
    context_.console.err("::endgroup::\n");
    stop_commands();
  } else if (system_ == CiSystem::gitlab) {
    context_.console.err(gitlab_mark("section_end", context_.loop.now(), job_, ""));
  }
  job_.clear();
}

void CiLog::stop_commands() {
  token_ = context_.unique_id();
  context_.console.err(cat("::stop-commands::", token_, '\n'));
}

void CiLog::resume_commands() {
  if (!token_.empty()) context_.console.err(cat("::", std::exchange(token_, {}), "::\n"));
}

Status CiLog::conclude(const Json& report) {
  if (system_ != CiSystem::github) return {};
  resume_commands();
  if (int_at(report, "/verdict/exitStatus") != 0) context_.console.err(annotation(report));
  const std::string page = context_.environment.text("GITHUB_STEP_SUMMARY");
  if (page.empty()) return {};
  return context_.files.append(page, job::markdown_summary(report));
}

}  // namespace trainctl::cli
