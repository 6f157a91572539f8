// A user would not hear of a job's end, or a hook would learn what it must not.
#include "work/notify/notify.h"

#include <chrono>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "work/remote_setting.h"

namespace trainctl::testing {
namespace notify_test {

using namespace std::chrono_literals;

const Json k_report = {
    {"name", "ddp"},
    {"namespace", "ml"},
    {"verdict", {{"result", "failed"}, {"exitStatus", 3}}},
    {"object", {{"spec", {{"env", "hush"}}}}},
};

struct Fixture {
  RemoteSetting remote{std::vector<Exchange>{}};
  Status run(const std::string& target) {
    return work::run_notifier(remote.access, target, k_report);
  }
};

TEST_CASE_FIXTURE(Fixture, "a program learns the verdict from its environment, and no secret") {
  remote.loop.children = {{"tell", 0, "noise", false, 1s}};
  CHECK(run("tell  --channel ml"));
  REQUIRE(remote.loop.spawned.size() == 1);
  const ChildSpec& child = remote.loop.spawned.front();
  CHECK(child.argv == std::vector<std::string>{"tell", "--channel", "ml"});
  CHECK(child.environment.text("TRAINCTL_JOB") == "ddp");
  CHECK(child.environment.text("TRAINCTL_NAMESPACE") == "ml");
  CHECK(child.environment.text("TRAINCTL_VERDICT") == "failed");
  const std::string report = child.environment.text("TRAINCTL_REPORT");
  CHECK(Json::parse(report)["verdict"]["exitStatus"] == 3);
  CHECK(report.find("hush") == std::string::npos);
  CHECK(remote.console.stdout_text.empty());
}

TEST_CASE_FIXTURE(Fixture, "a job of thousands of workers is told of as well") {
  remote.loop.children = {{"tell", 0, "", false, 1s}};
  Json report = k_report;
  for (int i = 0; i < 2000; ++i) {
    report["replicas"].push_back({{"name", cat("worker-", i)}, {"node", std::string(80, 'n')}});
  }
  CHECK(work::run_notifier(remote.access, "tell", report));
  const std::string told = remote.loop.spawned.front().environment.text("TRAINCTL_REPORT");
  CHECK(told.size() < std::size_t{128} << 10U);
  CHECK(Json::parse(told)["verdict"]["exitStatus"] == 3);
  const Json whole = Json::parse(remote.loop.spawned.front().input);
  CHECK(whole["replicas"].size() == 2000);
  CHECK_FALSE(whole.contains("object"));
}

TEST_CASE_FIXTURE(Fixture, "a program that fails, is missing or does not end is named") {
  remote.loop.children = {
      {"tell", 2, "", false, {}}, {"gone", 0, "", true, {}}, {"slow", 0, "", false, 1h}};
  CHECK(run("tell").error().message == "--notify: tell: it exited 2");
  CHECK(run("gone").error().message.starts_with("--notify: gone: "));
  const Time began = remote.loop.now();
  CHECK(run("slow").error().message == "--notify: slow: it took longer than 30s");
  CHECK(remote.loop.now() - began == Duration(30s));
}

Exchange hook(int status) {
  Exchange exchange;
  exchange.method = "POST";
  exchange.path = "/services/T0/secret";
  exchange.body = Json{{"name", "ddp"}, {"verdict", {{"result", "failed"}}}};
  exchange.status = status;
  return exchange;
}

Status post(int status) {
  FakeLoop loop;
  FakeTransport transport(loop, {hook(status)});
  Status posted =
      work::post_notice(loop, transport, "https://hooks.test/services/T0/secret", k_report);
  CHECK(join(transport.complaints(), "\n") == "");
  CHECK(transport.seen.at(0).body.find("hush") == std::string::npos);
  return posted;
}

TEST_CASE("a hook gets the report by POST, and its path is in no message") {
  CHECK(post(200));
  CHECK(post(204));
  CHECK(post(403).error().message == "--notify: hooks.test:443: it answered 403");
}

TEST_CASE_FIXTURE(Fixture, "what cannot be told is refused before anything is sent") {
  CHECK(work::check_notify(remote.access, "tell --channel ml"));
  CHECK(work::check_notify(remote.access, "https://hooks.test/x?y=z"));
  for (const char* target : {"", "  ", "./missing", "https://", "http://:1/x"}) {
    CAPTURE(target);
    const Status checked = work::check_notify(remote.access, target);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == Code::usage);
  }
}

TEST_CASE("a target is shown without the path, the query and the user of a hook") {
  const auto shown = [](const char* target) { return work::shown_target(target); };
  CHECK(shown("https://hooks.test/services/T0/secret") == "https://hooks.test");
  CHECK(shown("http://hooks.test:8080?token=secret") == "http://hooks.test:8080");
  CHECK(shown("https://ada:pw@hooks.test/x") == "https://hooks.test");
  CHECK(shown("https://ada:p/w@hooks.test/x") == "https://***");
  CHECK(shown("tell  --channel ml") == "tell  --channel ml");
  CHECK(shown("tell --to https://hooks.test/secret") == "tell --to https://hooks.test");
  CHECK(shown("tell --to=https://hooks.test/secret") == "tell --to=https://***");
}

TEST_CASE_FIXTURE(Fixture, "a URL that is not http is named as such, without its path") {
  const Status checked = work::check_notify(remote.access, "ftp://u:pw@files.test/secret");
  REQUIRE_FALSE(checked);
  CHECK(checked.error().message ==
        "--notify: ftp://files.test is not a hook: only http and https are supported");
}

}  // namespace notify_test
}  // namespace trainctl::testing
