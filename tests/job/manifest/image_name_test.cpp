// Which images are below a prefix that a site allows, whatever short form either is written in.
#include "job/manifest/image_name.h"

#include <doctest/doctest.h>

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::job;

TEST_CASE("an image is the one that a container runtime would pull") {
  CHECK(full_image_name("python") == "docker.io/library/python");
  CHECK(full_image_name("python:3.11") == "docker.io/library/python");
  CHECK(full_image_name("docker.io/python") == "docker.io/library/python");
  CHECK(full_image_name("index.docker.io/library/python") == "docker.io/library/python");
  CHECK(full_image_name("acme/ddp:1@sha256:abc") == "docker.io/acme/ddp");
  CHECK(full_image_name("localhost/ddp") == "localhost/ddp");
  CHECK(full_image_name("registry:5000/ddp:1") == "registry:5000/ddp");
  CHECK(full_image_name("GHCR.io/acme/ddp") == "ghcr.io/acme/ddp");
  CHECK(full_image_name("ghcr.io") == "docker.io/library/ghcr.io");
}

TEST_CASE("a prefix has the same form") {
  CHECK(*full_image_prefix("ghcr.io") == "ghcr.io");
  CHECK(*full_image_prefix("ghcr.io/") == "ghcr.io");
  CHECK(*full_image_prefix("registry:5000/") == "registry:5000");
  CHECK(*full_image_prefix("ghcr.io:5000") == "ghcr.io:5000");
  CHECK(*full_image_prefix("ghcr.io/acme/ddp") == "ghcr.io/acme/ddp");
  CHECK(*full_image_prefix("index.docker.io/") == "docker.io");
  CHECK(*full_image_prefix("acme/") == "docker.io/acme");
  CHECK(*full_image_prefix("library/") == "docker.io/library");
  CHECK(*full_image_prefix("library/python") == "docker.io/library/python");
  CHECK(*full_image_prefix("docker.io/acme/") == "docker.io/acme");
}

TEST_CASE("a text that is no prefix, or could mean two, is none") {
  for (const char* text :
       {"", "/", "ghcr.io//", "ghcr.io/acme//x", "ghcr.io/../x", "ghcr.io/*", "ghcr.io/acme/ddp:1",
        "python:latest", "python:3", "ghcr.io:70000/", "ghcr.io:0", "ghcr.io/x@sha256:1",
        "https://ghcr.io/", "ghcr.io/ acme", "acme", "docker.io/acme"}) {
    CAPTURE(text);
    CHECK_FALSE(full_image_prefix(text).has_value());
  }
}

TEST_CASE("no image passes by a name that only begins like an allowed one") {
  CHECK(is_image_below("ghcr.io/acme/ddp", "ghcr.io/acme"));
  CHECK(is_image_below("ghcr.io/acme", "ghcr.io/acme"));
  CHECK_FALSE(is_image_below("ghcr.io/acme-evil/ddp", "ghcr.io/acme"));
  CHECK_FALSE(is_image_below("registry.example.com.evil.org/x", "registry.example.com"));
  CHECK_FALSE(is_image_below("registry.example.com:444/x", "registry.example.com"));
  CHECK_FALSE(is_image_below("ghcr.io/acme/../evil/x", "ghcr.io/acme"));
  CHECK_FALSE(is_image_below("ghcr.io/acme//x", "ghcr.io/acme"));
}

}  // namespace TEST_FILE
