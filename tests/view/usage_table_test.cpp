// Users would misread an amount by a power of ten.
#include "view/usage_table.h"

#include <limits>

#include <doctest/doctest.h>

namespace trainctl::view {
namespace {

TEST_CASE("cores and bytes are short and keep the digits that matter") {
  CHECK(cores_text(0) == "0");
  CHECK(cores_text(7) == "7m");
  CHECK(cores_text(100) == "0.1");
  CHECK(cores_text(5712) == "5.7");
  CHECK(cores_text(8000) == "8");
  CHECK(cores_text(31'940) == "31.9");
  CHECK(bytes_text(0) == "0");
  CHECK(bytes_text(1023) == "1023");
  CHECK(bytes_text(1536) == "1.5Ki");
  CHECK(bytes_text(std::int64_t{512} << 20U) == "512Mi");
  CHECK(bytes_text(std::int64_t{64} << 30U) == "64Gi");
  CHECK(bytes_text(std::numeric_limits<std::int64_t>::max()) == "7.9Ei");
}

}  // namespace
}  // namespace trainctl::view
