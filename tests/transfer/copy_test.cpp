// A user would take a copy that stands still for one that hangs, or that is done.
#include "transfer/copy.h"

#include <chrono>

#include <doctest/doctest.h>

#include "work/remote_setting.h"

namespace trainctl::testing {
namespace copy_test {

using namespace std::chrono_literals;

constexpr const char* k_notice = "waiting for ddp/master-0: no data for 10s\n";

struct Fixture {
  RemoteSetting remote{std::vector<Exchange>{}};
  work::Shell shell{remote.access, *remote.client, remote.target};
  work::Copying copying{shell};
};

TEST_CASE_FIXTURE(Fixture, "a copy without bytes says once what it waits for") {
  remote.run_for(9s);
  CHECK(remote.console.stderr_text.empty());
  remote.run_for(60s);
  CHECK(remote.console.stderr_text == k_notice);
}

TEST_CASE_FIXTURE(Fixture, "a copy that goes on is silent, and says it again when it stops again") {
  for (int second = 0; second < 30; ++second) {
    copying.copied(1);
    remote.run_for(1s);
  }
  CHECK(remote.console.stderr_text.empty());
  remote.run_for(20s);
  CHECK(remote.console.stderr_text == k_notice);
  copying.copied(1);
  remote.run_for(30s);
  CHECK(remote.console.stderr_text == std::string(k_notice) + k_notice);
}

}  // namespace copy_test
}  // namespace trainctl::testing
