// Sums that are not those of the programs in containers would make every copy look broken.
#include "base/file/checksum.h"

#include <doctest/doctest.h>

namespace trainctl {
namespace checksum_test {

TEST_CASE("checksums are those of sha256sum") {
  Checksum sum(Checksum::Method::sha256);
  CHECK(sum.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  sum.add("a");
  sum.add("bc");
  CHECK(sum.hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sum.hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("checksums are those of md5sum") {
  Checksum sum(Checksum::Method::md5);
  CHECK(sum.hex() == "d41d8cd98f00b204e9800998ecf8427e");
  sum.add("a");
  sum.add("bc");
  CHECK(sum.hex() == "900150983cd24fb0d6963f7d28e17f72");
}

}  // namespace checksum_test
}  // namespace trainctl
