// Files that decide what the program does are read only if nobody else can have written them.
#include "base/file/own_file.h"

#include <doctest/doctest.h>

#include "support/fakes.h"

namespace trainctl {
namespace own_file_test {

TEST_CASE("a file that others may have written is read as if there were none") {
  testing::MemoryFiles files;
  CHECK_FALSE(read_own_file(files, "/state/agreed.json"));
  files.files["/state/agreed.json"] = "[]";
  CHECK(read_own_file(files, "/state/agreed.json") == "[]");
  for (const FileFacts& odd :
       {FileFacts{.is_regular = false}, {.is_ours = false}, {.others_write = true}}) {
    files.odd_facts["/state/agreed.json"] = odd;
    CHECK_FALSE(read_own_file(files, "/state/agreed.json"));
  }
}

}  // namespace own_file_test
}  // namespace trainctl
