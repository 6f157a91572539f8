// JUnit's XML, as Jenkins, GitLab and their kin read it.
#include "job/follow/junit.h"

#include <algorithm>

#include "base/error.h"
#include "base/text/text.h"
#include "job/follow/retried.h"
#include "job/status/exit_words.h"

namespace trainctl::job {

namespace {

// Control characters, which XML 1.0 cannot hold even escaped, are gone from a printable line.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return cat(' ', name, "=\"", escaped(printable_line(value)), '"');
}

std::string last_lines(const Json& report) {
  std::string text;
  for (const Json& line : array_at(report, "/digest/lastLines")) {
    text += printable_line(line.get_ref<const std::string&>()) + '\n';
  }
  return text;
}

std::string trouble(std::string_view element, std::string_view message, std::string_view text) {
  return cat("      <", element, attribute("message", message), '>', escaped(text), "</", element,
             ">\n");
}

std::string test_case(std::string_view suite, std::string_view name, std::string_view seconds,
                      std::string_view inside) {
  return cat("    <testcase", attribute("classname", suite), attribute("name", name),
             attribute("time", seconds), inside.empty() ? "/>\n" : ">\n", inside,
             inside.empty() ? "" : "    </testcase>\n");
}

constexpr std::string_view k_tried_again = "; it was tried again";

// A replica failed if it did so itself, whether its pod still exists or not, or if the verdict
// blames it. A replica that clean-up is stopping or has stopped has not failed.
bool is_failed(const Json& report, const Json& replica) {
  const std::string state = text_at(replica, "/state");
  const bool is_gone = state == "Missing" && int_at(replica, "/exitCode").value_or(0) != 0 &&
                       int_at(replica, "/restarts").value_or(0) == 0;
  return state == "Failed" || is_gone ||
         text_at(replica, "/name") == text_at(report, "/digest/replica", "-");
}

std::string skipped(std::string_view why) {
  return cat("      <skipped", attribute("message", why), "/>\n");
}

// A failed replica is a failure where the verdict is not a success. It never passes: when the job
// succeeded without it, it is skipped.
std::string failed_replica(const Json& report, const Json& replica, bool all_well) {
  const bool is_known = int_at(replica, "/exitCode").value_or(0) != 0;
  const Json& source = is_known ? replica : object_at(report, "/digest");
  const std::string how = exit_words(int_at(source, "/exitCode"), text_at(source, "/reason"));
  const std::string message = text_at(replica, "/message");
  if (!all_well) return trouble("failure", how, printable_line(message));
  const std::string text = message.empty() ? how : cat(how, ": ", message);
  return skipped(cat(text, is_retried(report) ? k_tried_again : "; the job succeeded without it"));
}

// A replica that did not come to its end has passed nothing, unless the job did well without it.
bool is_skipped(const Json& report, const Json& replica, bool all_well) {
  if (is_failed(report, replica)) return all_well;
  return !all_well && text_at(replica, "/state") != "Succeeded";
}

std::string replica_case(std::string_view suite, const Json& report, const Json& replica,
                         bool all_well) {
  std::string inside;
  if (is_failed(report, replica)) {
    inside = failed_replica(report, replica, all_well);
  } else if (is_skipped(report, replica, all_well)) {
    inside = skipped(text_at(replica, "/state"));
  }
  const std::string seconds = cat(int_at(replica, "/seconds").value_or(0));
  return test_case(suite, text_at(replica, "/name"), seconds, inside);
}

std::string test_suite(const Json& report) {
  const std::string suite = cat(text_at(report, "/namespace"), '.', text_at(report, "/name"));
  const std::string seconds = cat(int_at(report, "/followed/seconds").value_or(0));
  const auto status = int_at(report, "/verdict/exitStatus").value_or(0);
  const bool is_fine = status == 0 || is_retried(report);
  const bool failed = !is_fine && status == static_cast<int>(Code::job_failed);
  const Json& replicas = array_at(report, "/replicas");
  const auto failed_replicas = std::ranges::count_if(
      replicas, [&report](const Json& replica) { return is_failed(report, replica); });
  const auto skipped_replicas = std::ranges::count_if(
      replicas, [&](const Json& replica) { return is_skipped(report, replica, is_fine); });
  const auto skips = skipped_replicas + (is_retried(report) ? 1 : 0);
  const auto failures = is_fine ? 0 : failed_replicas + (failed ? 1 : 0);

  std::string verdict;
  if (is_retried(report)) {
    verdict = skipped(cat(text_at(report, "/verdict/message"), k_tried_again));
  } else if (!is_fine) {
    verdict = trouble(failed ? "failure" : "error", text_at(report, "/verdict/message"),
                      last_lines(report));
  }
  std::string xml = cat(
      "  <testsuite", attribute("name", suite), attribute("tests", cat(replicas.size() + 1)),
      attribute("failures", cat(failures)), attribute("errors", !is_fine && !failed ? "1" : "0"),
      attribute("skipped", cat(skips)), attribute("time", seconds),
      attribute("timestamp", text_at(report, "/followed/began")), ">\n");
  xml += test_case(suite, "verdict", seconds, verdict);
  for (const Json& replica : replicas) xml += replica_case(suite, report, replica, is_fine);
  return xml + "  </testsuite>\n";
}

}  // namespace

std::string junit_xml(std::span<const Json> reports) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const Json& report : reports) xml += test_suite(report);
  return xml + "</testsuites>\n";
}

}  // namespace trainctl::job
