// A command about the job ddp, against the shared worlds and a case's own exchanges.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cases/worlds.h"
#include "cli/run_command.h"

namespace trainctl::testing {

inline constexpr const char* k_kubeconfig =
    "{apiVersion: v1, kind: Config, current-context: c, "
    "clusters: [{name: c, cluster: {server: 'https://cluster.test'}}], "
    "contexts: [{name: c, context: {cluster: c, user: u, namespace: default}}], "
    "users: [{name: u, user: {token: t}}]}";

inline std::vector<Exchange> exchanges_of(const std::string& yaml) {
  auto read = read_server(yaml, "exchanges");
  REQUIRE(read);
  return *std::move(read);
}

struct JobRun : CommandRun {
  explicit JobRun(const std::vector<std::string>& worlds, const std::string& more = "[]") {
    environment = Environment(
        std::map<std::string, std::string, std::less<>>{{"HOME", "/home/ada"}, {"PWD", "/work"}});
    files.files["/home/ada/.kube/config"] = k_kubeconfig;
    exchanges = exchanges_of(more);
    for (const std::string& world : worlds) {
      auto read = read_world(world);
      REQUIRE(read);
      for (Exchange& each : *read) exchanges.push_back(std::move(each));
    }
  }
  bool says(const std::string& text) const {
    return console.stderr_text.find(text) != std::string::npos;
  }
};

}  // namespace trainctl::testing
