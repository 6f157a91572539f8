// Kubernetes' rules for names, at their edges.
#include "manifest/kind/names.h"

#include <doctest/doctest.h>

#include "manifest/kind/kind.h"

namespace names_test {

using namespace trainctl::job;

TEST_CASE("job names are Service names") {
  const Kind& kind = *find_kind("pytorch");
  for (const char* good : {"a", "a-b", "a1", "distributed-training-pytorch"}) {
    CHECK(job_name_fault(kind, good) == "");
  }
  for (const char* bad : {"", "1a", "-a", "a-", "A", "a_b", "a.b", "\xc3\xa4"}) {
    CHECK_MESSAGE(job_name_fault(kind, bad) != "", bad);
  }
  CHECK(job_name_fault(kind, std::string(63, 'a')) == "");
  CHECK(job_name_fault(kind, std::string(64, 'a')) == "has 64 characters; at most 63 are allowed");
}

TEST_CASE("names of secrets and claims may have dots, but no empty part") {
  for (const char* good : {"a", "1", "my.secret", "a-b.c-d"}) CHECK(object_name_fault(good) == "");
  for (const char* bad : {"", ".", "a..b", "a.", ".a", "a-.b", "A", "a/b"}) {
    CHECK_MESSAGE(object_name_fault(bad) != "", bad);
  }
  CHECK(object_name_fault(std::string(254, 'a')) != "");
}

TEST_CASE("label keys may have a domain, values may be empty") {
  for (const char* good : {"a", "A_b.c-d", "sidecar.istio.io/inject", "trainctl/owner"}) {
    CHECK_MESSAGE(qualified_name_fault(good) == "", good);
  }
  for (const char* bad : {"", "/", "a/", "/a", "a/b/c", "A_/b", "-a", "a b"}) {
    CHECK_MESSAGE(qualified_name_fault(bad) != "", bad);
  }
  CHECK(label_value_fault("") == "");
  CHECK(label_value_fault("a_B.1") == "");
  for (const char* bad : {"-a", "a-", "a b", "a/b", "="}) {
    CHECK_MESSAGE(label_value_fault(bad) != "", bad);
  }
}

TEST_CASE("a variable's name is one that a shell and Kubernetes both take") {
  for (const char* good : {"A", "_a", "a.b-c", "PATH1"}) CHECK(variable_name_fault(good) == "");
  for (const char* bad : {"", "1A", "A B", "A=B", "A$"}) {
    CHECK_MESSAGE(variable_name_fault(bad) != "", bad);
  }
}

}  // namespace names_test
