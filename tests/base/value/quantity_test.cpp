// Quantities: a mistyped one must be caught here, and sums must be exact.
#include "base/value/quantity.h"

#include <limits>

#include <doctest/doctest.h>

namespace quantity_test {

using namespace trainctl;

TEST_CASE("every spelling that the API server takes is passed on unchanged") {
  for (const char* text : {"0",   "1",   "+1",  "1.",  ".5",  "1.5",  "500m", "100n",   "7u",
                           "1k",  "1M",  "1G",  "1T",  "1P",  "1E",   "1Ki",  "1Mi",    "16Gi",
                           "1Ti", "1Pi", "1Ei", "1e3", "1E3", "1e+3", "1e-3", "12.5Gi", "007"}) {
    CAPTURE(text);
    const auto quantity = checked_quantity(text);
    REQUIRE(quantity);
    CHECK(*quantity == text);
  }
}

TEST_CASE("a mistyped quantity is refused before anything is sent") {
  for (const char* text : {"",     ".",   "abc", "1 Gi", " 1",  "1KB",   "1gi",   "1K",    "1GB",
                           "1Gib", "1ki", "1mi", "1e",   "1e+", "1e1.5", "1ee3",  "1.2.3", "0x10",
                           "1,5",  "+",   "Gi",  "i",    "1i",  "1 ",    "1_000", "1Gi\n"}) {
    CAPTURE(text);
    const auto quantity = checked_quantity(text);
    REQUIRE_FALSE(quantity);
    CHECK(quantity.error().code == Code::usage);
  }
}

TEST_CASE("a size of less than a byte is refused with the size that was meant") {
  const struct {
    const char *typed, *hint;
  } rows[] = {{"512m", "write 512Mi"},
              {"1.5m", "write 1.5Mi"},
              {"0.5", "write 0.5Gi or 0.5Mi"},
              {"16GB", "write 16Gi"},
              {"16gib", "write 16Gi"},
              {"512mb", "write 512Mi"},
              {"16g", "write 16Gi"},
              {"7u", "write a number and a suffix without a space: 16Gi, 512Mi, 1.5T"}};
  for (const auto& row : rows) {
    CAPTURE(row.typed);
    const auto size = checked_size(row.typed);
    REQUIRE_FALSE(size);
    CHECK(size.error().hint == row.hint);
  }
  // The server's form of 0.1Gi.
  for (const char* text : {"0", "16", "512k", "0.1Gi", "107374182400m", "16Gi"}) {
    CAPTURE(text);
    CHECK(checked_size(text));
  }
}

TEST_CASE("a size that can only be a slip is warned of") {
  CHECK(small_size("16") == "is 16 bytes; did you mean 16Gi or 16Mi?");
  CHECK(small_size("512k") == "is 512000 bytes; did you mean 512Ki?");
  for (const char* text : {"0", "1Mi", "16Gi", "107374182400m"}) CHECK(small_size(text) == "");
}

TEST_CASE("a negative quantity is called negative") {
  CHECK(checked_quantity("-1").error().message == "the quantity \"-1\" is negative");
  CHECK(checked_quantity("-500m").error().message == "the quantity \"-500m\" is negative");
  CHECK(checked_quantity("-x").error().message == "\"-x\" is not a Kubernetes quantity");
}

TEST_CASE("values are exact where a double would not be") {
  CHECK(quantity_milli("0") == 0);
  CHECK(quantity_milli("1") == 1000);
  CHECK(quantity_milli("500m") == 500);
  CHECK(quantity_milli("0.1") == 100);
  CHECK(quantity_milli("1k") == 1'000'000);
  CHECK(quantity_milli("1Ki") == 1'024'000);
  CHECK(quantity_milli("0.5Gi") == 536'870'912'000);
  CHECK(quantity_milli("1e3") == 1'000'000);
  CHECK(quantity_milli("1E-2") == 10);
  CHECK(quantity_milli("9007199254740.993") == 9'007'199'254'740'993);
  CHECK(quantity_milli("1Ti") == 1'099'511'627'776'000);
}

TEST_CASE("fractions of a thousandth round up, so a request is never counted as nothing") {
  CHECK(quantity_milli("1n") == 1);
  CHECK(quantity_milli("1u") == 1);
  CHECK(quantity_milli("0.0001") == 1);
  CHECK(quantity_milli("1000.0001m") == 1001);
  CHECK(quantity_milli("1e-999999999") == 1);
  CHECK(quantity_milli("0n") == 0);
}

TEST_CASE("huge values saturate instead of wrapping round") {
  constexpr std::int64_t k_largest = std::numeric_limits<std::int64_t>::max();
  CHECK(quantity_milli("9Ei") == k_largest);
  CHECK(quantity_milli("9223372036854775807") == k_largest);
  CHECK(quantity_milli("1e99999999999") == k_largest);
  CHECK(quantity_milli("0e99999999999") == 0);
  CHECK(quantity_milli(std::string(100'000, '9')) == k_largest);
}

TEST_CASE("a quantity is printed as Kubernetes' own library prints it") {
  const std::pair<const char*, const char*> cases[] = {
      {"0.5", "500m"},   {"500m", "500m"},     {"1500m", "1500m"},
      {"2000m", "2"},    {"1", "1"},           {"1.0", "1"},
      {"1000", "1k"},    {"100000", "100k"},   {"1.5Gi", "1536Mi"},
      {"1024Mi", "1Gi"}, {"1000Mi", "1000Mi"}, {"0.5Ki", "512"},
      {"1Ki", "1Ki"},    {"1023", "1023"},     {"0.1Gi", "107374182400m"},
      {"1G", "1G"},      {"1000M", "1G"},      {"0", "0"},
      {"0Gi", "0"},      {"1e3", "1e3"},       {"1E", "1E"},
      {"junk", "junk"},  {"100u", "100u"},     {"0.0001", "0.0001"},
      {"1n", "1n"}};
  for (const auto& [text, canonical] : cases) {
    CAPTURE(text);
    CHECK(canonical_quantity(text) == canonical);
    CHECK(quantity_milli(canonical_quantity(text)) == quantity_milli(text));
  }
}

}  // namespace quantity_test
