// A policy that cannot be read must not count as one that allows everything.
#include "work/create/site_policy.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fakes.h"

namespace trainctl::testing {
namespace TEST_FILE {

const std::string k_file(job::k_site_file);

// A directory that this user may not enter: nothing in it seems to exist.
class ClosedFiles : public MemoryFiles {
 public:
  Result<std::string> read(const std::string& path) override {
    return Error{Code::usage, cat("cannot read ", path, ": Permission denied"), ""};
  }
};

TEST_CASE("a machine without a site's file has no policy, and a file is read as it is") {
  MemoryFiles files;
  CHECK_FALSE(work::read_site_file(files)->has_value());
  files.files[k_file] = "policy: {}\n";
  CHECK(**work::read_site_file(files) == "policy: {}\n");
}

TEST_CASE("a site's file that may not be read is refused with its path") {
  ClosedFiles files;
  const auto text = work::read_site_file(files);
  REQUIRE_FALSE(text);
  CHECK(text.error().code == Code::usage);
  CHECK(text.error().message == "cannot read /etc/trainctl/config.yaml: Permission denied");
}

TEST_CASE("a link that leads nowhere is refused, whether it is the file or its directory") {
  for (const std::string& link : {k_file, directory_of(k_file)}) {
    MemoryFiles files;
    files.links[link] = "/srv/gone";
    const auto text = work::read_site_file(files);
    REQUIRE_FALSE(text);
    CHECK(text.error().code == Code::usage);
    CHECK(text.error().message.starts_with(
        cat(link, " is a link to /srv/gone, which does not exist")));
    files.files[link == k_file ? "/srv/gone" : "/srv/gone/config.yaml"] = "{}\n";
    CHECK(work::read_site_file(files)->has_value());
  }
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
