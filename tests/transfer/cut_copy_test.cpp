// A connection that is cut at any step of a copy would leave a file that is short, doubled or
// under its temporary name.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/file/sha256.h"
#include "base/file/system_files.h"
#include "base/scratch_directory.h"
#include "transfer/copy.h"
#include "work/remote_setting.h"

namespace trainctl::testing {
namespace cut_copy_test {

using Exchanges = std::vector<Exchange>;

constexpr const char* k_content = "0123456789";
constexpr const char* k_temporary = "/data/.trainctl-id-1";
constexpr const char* k_facts =
    "kind file\nstat 10 1767225600 640 77\nhas sha256sum\nhas dd\nhas tail\n";

std::string sum_line() {
  return sha256_hex(k_content) + "  -\n";
}

// One request of a copy, and what the copy asks before it makes the request again.
struct Step {
  std::string name;
  Exchange exchange;
  Exchanges before_again = {};
};

// The exchange, whose connection is lost behind so many of its messages.
Exchange cut_behind(Exchange exchange, std::size_t messages) {
  exchange.socket.steps.resize(messages);
  exchange.ending = "reset";
  return exchange;
}

Exchange reading_from(std::size_t byte) {
  const std::string rest = std::string(k_content).substr(byte);
  const auto half = rest.size() / 2;
  std::vector<std::string> pieces = {rest.substr(0, half), rest.substr(half)};
  std::erase(pieces, "");
  return script_that_prints(pieces, {"./model", std::to_string(byte + 1)});
}

Exchange writing(const std::string& where = "0", const std::vector<std::string>& printed = {}) {
  Exchange exchange = script_that_prints(printed, {k_temporary, where});
  exchange.query.emplace_back("stdin", "true");
  auto& steps = exchange.socket.steps;
  steps.insert(steps.begin(), {{}, true, 255, std::string(1, '\0')});
  steps.insert(steps.begin(), {{}, true, 0, k_content});
  return exchange;
}

struct Copied {
  explicit Copied(const Exchanges& exchanges) : remote(exchanges) {}
  std::string here(const std::string& name) const {
    std::ifstream file(directory / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  ScratchDirectory directory;
  RemoteSetting remote;
  SystemFiles files;
  FakeAccess access{remote.console, files, remote.loop, Environment(), remote.client};
  work::Shell shell{access, *remote.client, remote.target};
};

// The steps before `at`, that step cut behind so many messages, and what follows until the end.
Exchanges with_cut(const std::vector<Step>& steps, std::size_t at, std::size_t messages) {
  Exchanges all;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == at) {
      all.push_back(cut_behind(steps[i].exchange, messages));
      all.insert(all.end(), steps[i].before_again.begin(), steps[i].before_again.end());
    }
    all.push_back(steps[i].exchange);
  }
  return all;
}

TEST_CASE("a file from a container is whole wherever its connection is cut") {
  const Exchange facts = script_that_prints({k_facts}, {"./model"});
  const Exchange sum = script_that_prints({sum_line()}, {"./model"});
  const std::vector<Step> steps = {
      {"facts", facts}, {"sum", sum}, {"bytes", reading_from(0), {facts}}};
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const std::size_t messages = steps[at].exchange.socket.steps.size();
    for (std::size_t behind = 0; behind < messages; ++behind) {
      CAPTURE(steps[at].name);
      CAPTURE(behind);
      Exchanges exchanges = with_cut(steps, at, behind);
      // The bytes that arrived are not asked for again.
      if (steps[at].name == "bytes")
        exchanges.back() = reading_from(std::min<std::size_t>(behind * 5, 10));
      // The sum is asked for again only behind the bytes.
      if (steps[at].name == "sum")
        exchanges = {facts, cut_behind(sum, behind), reading_from(0), sum};
      Copied copied(exchanges);
      const Status done = copy_from(copied.shell, {"model", copied.directory / "copy"});
      CHECK_MESSAGE(done, (done ? "" : done.error().message));
      CHECK(copied.here("copy") == k_content);
      CHECK(join(copied.remote.transport->complaints(), "\n") == "");
    }
  }
}

// Each step is cut behind each of its messages, in a copy of its own.
void send_with_cuts(const std::vector<Step>& steps) {
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const std::size_t messages = steps[at].exchange.socket.steps.size();
    for (std::size_t behind = 0; behind < messages; ++behind) {
      CAPTURE(steps[at].name);
      CAPTURE(behind);
      Copied copied(with_cut(steps, at, behind));
      copied.access.unique_id = [] { return std::string("id-1"); };
      const std::string source = copied.directory / "model";
      std::ofstream(source) << k_content;
      std::filesystem::permissions(source, static_cast<std::filesystem::perms>(0644));
      const Status done = copy_to(copied.shell, {"/data/model", source});
      CHECK_MESSAGE(done, (done ? "" : done.error().message));
      CHECK(join(copied.remote.transport->complaints(), "\n") == "");
    }
  }
}

TEST_CASE("a file to a container gets its name once it is whole, wherever its connection is cut") {
  const Exchange facts = script_that_prints({k_facts}, {"/data/model"});
  const Exchange none_there = script_that_prints({"0\n"}, {k_temporary});
  send_with_cuts({
      {"facts", facts},
      {"bytes", writing(), {none_there}},
      {"size", script_that_prints({"10\n"}, {k_temporary})},
      {"sum", script_that_prints({sum_line()}, {k_temporary})},
      {"name", script_that_prints({}, {k_temporary, "/data/model", "644"})},
  });
}

TEST_CASE("a file that is summed while it arrives is whole wherever its connection is cut") {
  const Exchange facts =
      script_that_prints({"has md5sum\nhas dd\nhas fullblock\n"}, {"/data/model"});
  const Exchange none_there = script_that_prints({"0\n"}, {k_temporary});
  send_with_cuts({
      {"facts", facts},
      {"bytes", writing("1", {"781e5e245d69b566979b86e28d23f2c7  -\n"}), {none_there}},
      {"name", script_that_prints({}, {k_temporary, "/data/model", "644"})},
  });
}

}  // namespace cut_copy_test
}  // namespace trainctl::testing
