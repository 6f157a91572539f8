// A container may answer without end. What is kept of that in memory has a bound.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/scratch_directory.h"
#include "support/tar_blocks.h"
#include "transfer/fetching.h"
#include "work/remote_setting.h"

namespace trainctl::testing {
namespace hostile_fetch_test {

constexpr std::size_t k_mib = std::size_t{1} << 20;

std::vector<std::string> repeated(const std::string& piece, std::size_t bytes) {
  return std::vector<std::string>(bytes / piece.size(), piece);
}

Status fetch(const std::vector<Exchange>& exchanges, const ScratchDirectory& into,
             std::string& said) {
  RemoteSetting setting(exchanges);
  work::Shell shell{setting.access, *setting.client, setting.target};
  const Status status = work::fetch_into(shell, {"/results", into.path, "trainctl fetch ddp"});
  said = setting.console.stderr_text;
  return status;
}

const Exchange k_facts =
    script_that_prints({"kind directory\nhas tar\nhas find\nhas sha256sum\n"}, {"/results"});

TEST_CASE("a checksum line that never ends is given up before it fills the memory") {
  const ScratchDirectory here;
  std::string said;
  const Exchange archive = script_that_prints({tar_end()}, {"/results"});
  const Exchange sums =
      script_that_prints(repeated(std::string(k_mib / 16, 'a'), 64 * k_mib), {"/results"});
  const Status status = fetch({k_facts, archive, sums}, here, said);
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "the remote checksums hold a line longer than any path");
}

TEST_CASE("an archive of entries that are refused is given up before they fill the memory") {
  const ScratchDirectory here;
  std::string said;
  // Devices under names of 64 KiB, which GNU tar writes in front of them.
  std::vector<std::string> pieces;
  for (int i = 0; i < 512; ++i) {
    std::string name = cat(i, std::string(k_mib / 16, 'n'));
    name += '\0';
    pieces.push_back(cat(tar_header("././@LongLink", 'L', name.size()), tar_padded(name),
                         tar_header("device", '3', 0)));
  }
  pieces.push_back(tar_end());
  const Status status = fetch({k_facts, script_that_prints(pieces, {"/results"})}, here, said);
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "gave up, because too many entries could not be copied");
  // Ten of them are named.
  CHECK(said.size() < k_mib);
}

TEST_CASE("an answer without end is given up before it fills the memory") {
  const ScratchDirectory here;
  std::string said;
  const Exchange facts =
      script_that_prints(repeated(std::string(k_mib, 'a'), 80 * k_mib), {"/results"});
  const Status status = fetch({facts}, here, said);
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "ddp/master-0 sent an answer of more than 64 MiB");
}

}  // namespace hostile_fetch_test
}  // namespace trainctl::testing
