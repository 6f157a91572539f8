// JUnit's XML, as Jenkins, GitLab and their kin read it.
#include "job/follow/junit.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
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

bool is_failed(const Json& replica) {
  return text_at(replica, "/state") == "Failed";
}

// What a replica failed with is a failure only where the verdict is one: a job may well succeed
// without it.
std::string failed_replica(const Json& replica, bool all_well) {
  const std::string how = exit_words(int_at(replica, "/exitCode"), text_at(replica, "/reason"));
  const std::string message = text_at(replica, "/message");
  if (!all_well) return trouble("failure", how, printable_line(message));
  const std::string text = message.empty() ? how : cat(how, ": ", message);
  return cat("      <system-out>", escaped(printable_line(text)), "</system-out>\n");
}

std::string replica_case(std::string_view suite, const Json& replica, bool all_well) {
  return test_case(suite, text_at(replica, "/name"), "0",
                   is_failed(replica) ? failed_replica(replica, all_well) : "");
}

}  // namespace

std::string junit_xml(const Json& report) {
  const std::string suite = cat(text_at(report, "/namespace"), '.', text_at(report, "/name"));
  const std::string seconds = cat(int_at(report, "/followed/seconds").value_or(0));
  const auto status = int_at(report, "/verdict/exitStatus").value_or(0);
  const bool failed = status == static_cast<int>(Code::job_failed);
  const Json& replicas = array_at(report, "/replicas");
  const auto failed_replicas = std::count_if(replicas.begin(), replicas.end(), is_failed);
  const auto failures = status == 0 ? 0 : failed_replicas + (failed ? 1 : 0);

  std::string verdict;
  if (status != 0) {
    verdict = trouble(failed ? "failure" : "error", text_at(report, "/verdict/message"),
                      last_lines(report));
  }
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  xml += cat("  <testsuite", attribute("name", suite), attribute("tests", cat(replicas.size() + 1)),
             attribute("failures", cat(failures)),
             attribute("errors", status != 0 && !failed ? "1" : "0"), attribute("time", seconds),
             attribute("timestamp", text_at(report, "/followed/began")), ">\n");
  xml += test_case(suite, "verdict", seconds, verdict);
  for (const Json& replica : replicas) xml += replica_case(suite, replica, status == 0);
  return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace trainctl::job
