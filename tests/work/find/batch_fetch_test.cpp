// The memory of several lists together, when a server answers all of them with as much as it may.
#include "work/find/batch_fetch.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fake_cluster.h"

namespace trainctl::testing {
namespace batch_fetch_test {

// One object with a million numbers, which take 64 MiB.
std::string large_list() {
  std::string numbers = "0";
  for (int i = 0; i < 1'000'000; ++i) numbers += ",0";
  return cat(R"({"kind":"List","metadata":{},"items":[{"metadata":{"name":"a"},"x":[)", numbers,
             "]}]}");
}

constexpr kube::Resource k_jobs[] = {
    {"kubeflow.org", "v1", "ajobs", "AJob"}, {"kubeflow.org", "v1", "bjobs", "BJob"},
    {"kubeflow.org", "v1", "cjobs", "CJob"}, {"kubeflow.org", "v1", "djobs", "DJob"},
    {"kubeflow.org", "v1", "ejobs", "EJob"}, {"kubeflow.org", "v1", "fjobs", "FJob"},
    {"kubeflow.org", "v1", "gjobs", "GJob"}, {"kubeflow.org", "v1", "hjobs", "HJob"},
    {"kubeflow.org", "v1", "ijobs", "IJob"}, {"kubeflow.org", "v1", "jjobs", "JJob"},
};

TEST_CASE("ten lists at once take no more memory than 512 MiB, and one that is left out is named") {
  const std::string list = large_list();
  std::vector<Exchange> exchanges;
  std::vector<work::Listing> listings;
  for (const kube::Resource& resource : k_jobs) {
    Exchange& exchange = exchanges.emplace_back();
    exchange.path = cat("/apis/kubeflow.org/v1/", resource.plural);
    exchange.headers = {{"Content-Type", "application/json"}};
    exchange.chunks.push_back({{}, list});
    listings.push_back({.resource = resource, .ns = ""});
  }
  FakeCluster cluster(std::move(exchanges));
  work::fetch_together(*cluster.client, listings);
  const auto left_out =
      std::find_if(listings.begin(), listings.end(),
                   [](const work::Listing& listing) { return listing.failure.has_value(); });
  REQUIRE(left_out != listings.end());
  CHECK(left_out - listings.begin() >= 5);
  CHECK(left_out->objects.empty());
  CHECK(left_out->failure->error.code == Code::unreachable);
  CHECK(left_out->failure->error.message ==
        cat("the list of ", left_out->resource.plural,
            " is too large to be held in memory beside the other lists of this command"));
  CHECK(left_out->failure->error.hint ==
        "choose one namespace with -n, or fewer jobs with -l SELECTOR");
}

}  // namespace batch_fetch_test
}  // namespace trainctl::testing
