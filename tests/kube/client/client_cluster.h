// Answers of a scripted API server, and a client whose credential comes from a plugin.
#pragma once
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "kube/client/client.h"
#include "kube/client/collection.h"
#include "support/fake_cluster.h"

using namespace trainctl;
using namespace trainctl::kube;
using namespace std::chrono_literals;
using trainctl::testing::Exchange;
using trainctl::testing::FakeCluster;
using trainctl::testing::has;

namespace trainctl::testing::client_cluster {
inline constexpr Resource k_job{"kubeflow.org", "v1", "pytorchjobs", "PyTorchJob"};
inline const std::string k_jobs = "/apis/kubeflow.org/v1/namespaces/team/pytorchjobs";

inline Exchange reply(std::string method, std::string path, const std::string& body,
                      int status = 200) {
  Exchange exchange;
  exchange.method = std::move(method);
  exchange.path = std::move(path);
  exchange.status = status;
  exchange.chunks.push_back({{}, body});
  return exchange;
}

inline std::string status_text(int code, std::string_view reason, std::string_view message) {
  return dump(Json{{"kind", "Status"},
                   {"status", "Failure"},
                   {"code", code},
                   {"reason", reason},
                   {"message", message}});
}

inline std::string header(const net::Request& request, std::string_view name) {
  for (const net::Header& one : request.headers) {
    if (one.name == name) return one.value;
  }
  return "";
}

// A list page of pods with these names.
inline Exchange page(const std::string& token, const std::vector<std::string>& names,
                     const std::string& next) {
  Json list{
      {"kind", "PodList"}, {"metadata", {{"resourceVersion", "7"}}}, {"items", Json::array()}};
  for (const std::string& name : names) {
    list["items"].push_back(Json{{"metadata", {{"name", name}}}});
  }
  if (!next.empty()) list["metadata"]["continue"] = next;
  Exchange exchange = reply("GET", "/api/v1/namespaces/team/pods", dump(list));
  exchange.query = {{"limit", "500"}};
  if (!token.empty()) exchange.query.emplace_back("continue", token);
  return exchange;
}

// A client whose user has a credential plugin that answers with "one", then "two", then "three".
struct PluginCluster {
  testing::FakeLoop loop;
  testing::MemoryFiles files;
  Environment env;
  testing::FakeTransport* transport = nullptr;
  std::unique_ptr<Client> client;

  explicit PluginCluster(std::vector<Exchange> exchanges) {
    AuthInfo auth;
    auth.exec = ExecPlugin{"client.authentication.k8s.io/v1", "login", {}, {}, "", "Never", {}};
    for (const char* token : {"one", "two", "three"}) {
      const Json answer{{"kind", "ExecCredential"},
                        {"apiVersion", auth.exec->api_version},
                        {"status", {{"token", token}}}};
      loop.children.push_back({"login", 0, dump(answer), false, {}});
    }
    auto credentials =
        std::make_unique<Credentials>(loop, files, env, auth, true, false, [](std::string) {});
    auto owned = std::make_unique<testing::FakeTransport>(loop, std::move(exchanges));
    transport = owned.get();
    client = std::make_unique<Client>(loop, std::move(owned), std::move(credentials),
                                      "https://fake", Duration{}, [](std::string) {});
  }
};

}  // namespace trainctl::testing::client_cluster

using namespace trainctl::testing::client_cluster;
