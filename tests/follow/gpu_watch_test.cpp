// Turns the output of nvidia-smi into the line below the log.
#include "follow/gpu_watch.h"

#include <doctest/doctest.h>

namespace gpu_watch_test {

using trainctl::job::gpu_words;

TEST_CASE("one GPU and several are said in a few words, and anything else is not shown") {
  CHECK(gpu_words("91, 34816, 81920\n") == "GPU 91 %, 34 of 80 GiB");
  CHECK(gpu_words("100, 81000, 81920\n0, 1000, 81920\n") == "2 GPUs 50 %, 40 of 80 GiB each");
  for (const char* other : {"", "\n", "[N/A], 34816, 81920", "91, 34816", "91, 34816, 81920, 5",
                            "-1, 2, 3", "No devices were found", "\x1b[2J91, 1, 2"}) {
    CAPTURE(other);
    CHECK(gpu_words(other).empty());
  }
}

}  // namespace gpu_watch_test
