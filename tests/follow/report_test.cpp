// Programs read this of a job that has ended.
#include "follow/report.h"

#include <array>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/json.h"
#include "follow/failed_report.h"

namespace trainctl::job {

namespace report_test {

using namespace trainctl::testing;

TEST_CASE("a report gives a failed job's verdict, signal and last lines to a program") {
  const Json report = failed_report({"killed"});
  CHECK(text_at(report, "/verdict/result") == "failed");
  CHECK(int_at(report, "/verdict/exitStatus") == 3);
  CHECK(int_at(report, "/followed/seconds") == 90);
  CHECK(text_at(report, "/digest/replica") == "worker-0");
  CHECK(int_at(report, "/digest/signal") == 9);
  CHECK(text_at(report, "/digest/reason") == "OOMKilled");
  CHECK(text_at(report, "/digest/lastLines/0") == "killed");
}

}  // namespace report_test

// A sweep's best job is named without opening a report.
namespace report_test {

// A job with the best value of its first metric.
Json swept(const char* name, const char* metric, double best, int exit_status = 0) {
  return {{"name", name},
          {"verdict", {{"exitStatus", exit_status}}},
          {"object", {{"metadata", {{"annotations", {{"trainctl/array-values", "lr=1e-3"}}}}}}},
          {"metrics",
           {{"series",
             Json::array({{{"name", metric}, {"best", {{"step", 900}, {"value", best}}}}})}}}};
}

TEST_CASE("the best of several jobs that succeeded is named with its array's values") {
  CHECK(best_job(std::array{swept("a", "loss", 0.5), swept("b", "loss", 0.25)}) ==
        "best loss 0.25 at 900: b (lr=1e-3)");
  CHECK(best_job(std::array{swept("a", "accuracy", 0.5), swept("b", "accuracy", 0.25)}) ==
        "best accuracy 0.5 at 900: a (lr=1e-3)");
  CHECK(best_job(std::array{swept("a", "loss", 0.5), swept("b", "loss", 0.25, 3)}).empty());
  CHECK(best_job(std::array{swept("a", "loss", 0.5), swept("b", "accuracy", 0.25)}).empty());
}

TEST_CASE("a job whose metric is no number any more is not the best") {
  Json lost = swept("a", "loss", 0.1);
  lost["metrics"]["series"][0]["notFiniteSince"] = 1200;
  CHECK(best_job(std::array{lost, swept("b", "loss", 0.3), swept("c", "loss", 0.2)}) ==
        "best loss 0.2 at 900: c (lr=1e-3)");
}

}  // namespace report_test

// A CI system counts what the XML says of each replica: none passes that did not end well.
namespace report_test {

// A report whose worker-0 is to blame, or else gone, beside one that was stopped and one that is
// done.
Json report(int exit_status) {
  Json report = *parse_json(R"({"name": "ddp", "namespace": "ml", "replicas": [
      {"name": "worker-0", "state": "Stopped"}, {"name": "worker-1", "state": "Terminating"},
      {"name": "worker-2", "state": "Succeeded"}]})",
                            "test");
  report["verdict"] = {{"exitStatus", exit_status}, {"message", "job ddp failed"}};
  if (exit_status == 0) return report;
  report["replicas"][0]["state"] = "Failed";
  report["digest"] = {{"replica", "worker-0"}, {"exitCode", 7}};
  return report;
}

bool has(const std::string& xml, std::string_view text) {
  return xml.find(text) != std::string::npos;
}

TEST_CASE("the replica that a failed job blames has failed, also when its pod is gone") {
  const std::string xml = junit_xml(std::array{report(3)});
  CHECK(has(xml, R"(failures="2" errors="0" skipped="1")"));
  CHECK(has(xml, "name=\"worker-0\" time=\"0\">\n      <failure message=\"exited 7\">"));
  CHECK(has(xml, "name=\"worker-1\" time=\"0\">\n      <skipped message=\"Terminating\"/>"));
  CHECK(has(xml, "name=\"worker-2\" time=\"0\"/>"));
}

TEST_CASE(
    "replicas that clean-up stopped are skipped, and failed ones have failed, at whichever stage "
    "they are") {
  const auto of = [](std::string_view state) {
    Json report = *parse_json(R"({"name": "ddp", "namespace": "ml", "replicas": []})", "test");
    report["verdict"] = {{"exitStatus", 3}, {"message", "job ddp failed"}};
    report["replicas"].push_back(*parse_json(cat(R"({"name": "worker-1", )", state, "}"), "test"));
    const std::string xml = junit_xml(std::array{report});
    return has(xml, "<skipped")                        ? "skipped"
           : has(xml, "<failure message=\"exited 7\"") ? "failed"
                                                       : "?";
  };
  for (const auto* stopped : {R"("state": "Running")", R"("state": "Terminating", "exitCode": 143)",
                              R"("state": "Stopped")"}) {
    CHECK_MESSAGE(of(stopped) == "skipped", stopped);
  }
  CHECK(of(R"("state": "Failed", "exitCode": 7)") == "failed");
}

TEST_CASE("a report says how a replica was when its job ended, and not that it still runs") {
  const auto said = [](std::string_view phase, std::string_view replica) {
    Json report = *parse_json(R"({"name": "ddp", "namespace": "ml"})", "test");
    report["phase"] = phase;
    report["verdict"] = {{"exitStatus", 3}, {"message", "job ddp failed"}};
    report["replicas"] =
        *parse_json(cat(R"([{"name": "worker-1", )", replica,
                        R"(}, {"name": "worker-2", "state": "Failed", "exitCode": 7}])"),
                    "test");
    const std::string xml = junit_xml(std::array{report});
    const std::string in_table = between(markdown_summary(report), "| worker-1 | ", " |");
    CHECK(between(xml, "<skipped message=\"", "\"") == in_table);
    return in_table;
  };
  CHECK(said("Failed", R"("state": "Running")") == "Running when the job ended");
  CHECK(said("Running", R"("state": "Running")") == "Running");
  CHECK(said("Failed", R"("state": "Stopped")") == "Stopped");
}

TEST_CASE("the traceback of a failed replica keeps its lines in JUnit's report") {
  Json report = testing::failed_report({});
  report["replicas"] = *parse_json(
      R"([{"name": "worker-0", "state": "Failed", "exitCode": 1, "message": "Traceback\nKeyError: \u001b[31m'x'"}])",
      "test");
  CHECK(has(junit_xml(std::array{report}), ">Traceback\nKeyError: ?[31m'x'</failure>"));
}

TEST_CASE("a metric that is no number any more is none in JUnit's report") {
  Json of_nan = report(0);
  of_nan["metrics"] = *parse_json(
      R"({"series": [{"name": "loss", "last": {"step": 3, "value": 0.25}, "notFinite": "nan"}]})",
      "test");
  CHECK(has(junit_xml(std::array{of_nan}), R"(<property name="loss" value="nan"/>)"));
}

TEST_CASE("a summary of a wait for a failure does not call the failed job succeeded") {
  Json failed = report(0);
  failed["phase"] = "Failed";
  failed["verdict"] = {{"exitStatus", 0}, {"result", "succeeded"}};
  CHECK(markdown_summary(failed).find("failed, as was awaited") != std::string::npos);
}

TEST_CASE("a job that succeeded leaves no replica skipped") {
  CHECK(has(junit_xml(std::array{report(0)}), R"(failures="0" errors="0" skipped="0")"));
}

TEST_CASE("a replica whose program never ran does not pass, though the job succeeded") {
  Json one = report(0);
  one["replicas"] = *parse_json(
      R"([{"name": "worker-0", "state": "Terminating", "reason": "Init"},
          {"name": "worker-1", "state": "Pending"}, {"name": "worker-2", "state": "Missing"}])",
      "test");
  CHECK(has(junit_xml(std::array{one}), R"(failures="0" errors="0" skipped="2")"));
}

TEST_CASE("a replica that failed does not pass, though the job succeeded without it") {
  Json report = testing::failed_report({});
  report["verdict"] = {{"exitStatus", 0}};
  report.erase("digest");
  report["replicas"] = *parse_json(
      R"([{"name": "worker-0", "state": "Failed", "exitCode": 4, "seconds": 12}])", "test");
  const std::string xml = junit_xml(std::array{report});
  CHECK(has(xml, R"(failures="0" errors="0" skipped="1")"));
  CHECK(has(xml,
            "name=\"worker-0\" time=\"12\">\n      <skipped message=\"exited 4; the job "
            "succeeded without it\"/>"));
}

TEST_CASE("JUnit stays well-formed whatever a program printed") {
  const std::string xml = junit_xml(
      std::array{testing::failed_report({"<a> & \"b\" ]]>", "\x1b[31mred\x01\xff\ufffe"})});
  CHECK(xml.find("&lt;a&gt; &amp; &quot;b&quot; ]]&gt;") != std::string::npos);
  CHECK(xml.find('\x1b') == std::string::npos);
  CHECK(xml.find('\x01') == std::string::npos);
  CHECK(xml.find("\ufffe") == std::string::npos);
  CHECK(is_utf8(xml));
  CHECK(xml.find(R"(tests="3" failures="2" errors="0" skipped="1" time="90")") !=
        std::string::npos);
}

}  // namespace report_test

// The summary page of a CI run, whatever the logs hold.
namespace report_test {

using namespace trainctl::testing;

TEST_CASE("a summary page cannot be broken by a table bar, a fence or a tag in the logs") {
  const std::string page = markdown_summary(failed_report({"a | b", "````", "</details>"}));
  CHECK(page.find("`````text\na | b\n````\n</details>\n`````\n") != std::string::npos);
  CHECK(page.find("| worker-0 | Failed | 137 (SIGKILL) | 0 | OOMKilled |") != std::string::npos);
}

}  // namespace report_test

}  // namespace trainctl::job
