// A 403 is a missing right unless admission has refused a write: a pipeline must not look for a bad
// manifest.
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "kube/client/api_error.h"

namespace forbidden_test {

using namespace trainctl;
using namespace trainctl::kube;

TEST_CASE("14.11: a 403 is a missing right, unless admission words its refusal of a write") {
  const auto call = [](std::string method) {
    return CallInfo{std::move(method), "/apis/kubeflow.org/v1/namespaces/team/pytorchjobs",
                    "a token", "https://k.example:6443"};
  };
  for (const std::string_view message :
       {"Forbidden", "you may not: Forbidden", "pods is forbidden: not for you"}) {
    const Json status{{"kind", "Status"},
                      {"status", "Failure"},
                      {"reason", "Forbidden"},
                      {"message", message},
                      {"code", 403}};
    const net::ResponseHead head{403, {{"Content-Type", "application/json"}}};
    const Error read = api_error(call("GET"), head, dump(status));
    CHECK(read.code == Code::auth);
    CHECK(read.message.find(message) != std::string::npos);
    CHECK(read.hint.find("kubectl auth can-i get pytorchjobs.kubeflow.org -n team") !=
          std::string::npos);
    const bool by_admission = message.starts_with("pods is");
    const Error write = api_error(call("POST"), head, dump(status));
    CHECK(write.code == (by_admission ? Code::refused : Code::auth));
    CHECK(write.hint.empty() == by_admission);
    // The same Status in an answer of 200, or in a watch.
    const Error told = status_error(call("GET"), status);
    CHECK(told.code == Code::auth);
    CHECK(told.message == read.message);
  }
}

}  // namespace forbidden_test
