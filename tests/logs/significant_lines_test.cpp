// Twenty progress bars as a failed program's last words would hide its traceback.
#include "logs/significant_lines.h"

#include <doctest/doctest.h>

#include "logs/last_lines.h"

namespace trainctl::job {
namespace significant_lines_test {

TEST_CASE("progress bars, blank lines and requests that passed tell nothing") {
  const std::string_view noise[] = {
      "",
      "   ",
      "\r",
      " 33%|███▉   | 307/938 [00:01<00:02, 289.04it/s]",
      "Epoch 3: 100%|##########| 938/938 [00:03<00:00, 289.04it/s, loss=0.31]  ",
      "0%|",
      "\rstep 1\rstep 2\r",
      "127.0.0.1 - - [02/Jan/2026 03:04:05] \"GET /metrics HTTP/1.1\" 200 -",
      "INFO:     10.0.0.7:51234 - \"POST /v1/load HTTP/1.1\" 200 OK",
      "DEBUG:urllib3.connectionpool:https://hub.test:443 \"HEAD /gpt2/config.json HTTP/1.1\" 200 0",
      "DEBUG:urllib3.connectionpool:Starting new HTTPS connection (1): hub.test:443",
      "INFO:httpx:HTTP Request: GET https://hub.test/api/models \"HTTP/1.1 302 Found\"",
      "10.0.0.7 \"GET / HTTP/2\" 304",
  };
  for (const std::string_view line : noise) {
    CAPTURE(line);
    CHECK_FALSE(is_telling(line));
  }
}

TEST_CASE("lines that may say why a program failed are kept") {
  const std::string_view words[] = {
      "RuntimeError: no data",
      "RuntimeError: no data\r",  // of a container with a terminal
      "  0%|          | 0/10 [00:00<?, ?it/s]Traceback (most recent call last):",
      "accuracy 93.5% | loss 0.2",
      "INFO:httpx:HTTP Request: GET https://hub.test/api \"HTTP/1.1 403 Forbidden\"",
      "127.0.0.1 - - \"GET /metrics HTTP/1.1\" 500 -",
      "requests.exceptions.HTTPError: 401 Client Error for https://hub.test",
      "http.client.BadStatusLine: HTTP/1.1",
      "cannot GET \"HTTP/",
  };
  for (const std::string_view line : words) {
    CAPTURE(line);
    CHECK(is_telling(line));
  }
}

TEST_CASE("a termination message that holds noise alone is shown as it stands") {
  CHECK(significant_lines("10%|#| 1/10 [00:01]\n\nValueError: x\n") ==
        std::vector<std::string>{"ValueError: x"});
  CHECK(significant_lines("10%|#| 1/10 [00:01]\n\n") ==
        std::vector<std::string>{"10%|#| 1/10 [00:01]"});
  CHECK(significant_lines("").empty());
}

TEST_CASE("an error is the last line with a word in it") {
  CHECK(error_line("Traceback\nValueError: x\n=====\n\n") == "ValueError: x");
  CHECK(error_line("=====\n").empty());
  CHECK(error_line("HTTPError: 401 for token=hunter2\n") == "HTTPError: 401 for token=***");
}

TEST_CASE("the last words reach back over the progress bars") {
  LastLines kept;
  const ReplicaId replica{nullptr, 0};
  const RunId run{"pod", 0};
  kept.begin(replica, run);
  kept.add(replica, run, "RuntimeError: no data");
  for (int i = 0; i < 100; ++i) kept.add(replica, run, "50%|##| 5/10 [00:01<00:02]");
  CHECK(kept.latest(replica) == std::vector<std::string>{"RuntimeError: no data"});
}

}  // namespace significant_lines_test
}  // namespace trainctl::job
