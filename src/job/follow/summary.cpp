// GitHub's flavour of Markdown, which GitLab and Gitea read too.
#include "job/follow/summary.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/follow/retried.h"
#include "job/status/exit_words.h"

namespace trainctl::job {

namespace {

// One table cell or line of text: nothing in it is markup.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : printable_line(text)) {
    if (std::string_view("\\`*_{}[]<>#|~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// A fence longer than any run of backticks inside.
std::string fence_for(const Json& lines) {
  std::size_t longest = 2;
  for (const Json& line : lines) {
    std::size_t run = 0;
    for (const char c : line.get_ref<const std::string&>()) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  }
  return std::string(longest + 1, '`');
}

std::string restarts(const Json& replica) {
  const auto count = int_at(replica, "/restarts");
  return count ? cat(*count) : "";
}

std::string row(const Json& replica) {
  const auto exit_code = int_at(replica, "/exitCode");
  return cat("| ", plain(text_at(replica, "/name")), " | ", plain(text_at(replica, "/state")),
             " | ", exit_code ? exit_code_words(*exit_code) : "", " | ", restarts(replica), " | ",
             plain(text_at(replica, "/reason")), " |\n");
}

std::string table(const Json& replicas) {
  if (replicas.empty()) return "";
  std::string text = "| replica | state | exit code | restarts | reason |\n|---|---|---|---|---|\n";
  for (const Json& replica : replicas) text += row(replica);
  return text;
}

std::string digest(const Json& report) {
  const Json& lines = array_at(report, "/digest/lastLines");
  if (lines.empty()) return "";
  const std::string fence = fence_for(lines);
  std::string text =
      cat("\n<details><summary>Last lines of ", plain(text_at(report, "/digest/replica")),
          "</summary>\n\n", fence, "text\n");
  for (const Json& line : lines) {
    text += printable_line(line.get_ref<const std::string&>()) + '\n';
  }
  return cat(text, fence, "\n\n</details>\n");
}

}  // namespace

std::string markdown_summary(const Json& report) {
  const std::string result = text_at(report, "/verdict/result");
  const std::string message = text_at(report, "/verdict/message");
  const bool retried = is_retried(report);
  std::string text = cat(retried                 ? "### 🔁 "
                         : result == "succeeded" ? "### ✅ "
                                                 : "### ❌ ",
                         plain(text_at(report, "/jobKind", "job")), ' ',
                         plain(text_at(report, "/namespace")), '/', plain(text_at(report, "/name")),
                         ": ", plain(result), retried ? ", and tried again" : "", "\n\n");
  if (!message.empty()) text += plain(message) + "\n\n";
  return text + table(array_at(report, "/replicas")) + digest(report) + '\n';
}

}  // namespace trainctl::job
