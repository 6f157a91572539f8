// Which requests for exec, attach and portforward reach the kubelet, and how others are refused.
#include <doctest/doctest.h>

#include "local/api/api_server.h"

namespace trainctl::testing {

namespace pod_endpoints_test {

const std::string k_pod = k_pods_path + "/ddp-worker-0";

struct StreamServer : ApiServer {
  StreamServer() {
    Json pod = local_objects::pod("ddp-worker-0");
    pod["spec"]["containers"] = Json::array({{{"name", "pytorch"}}, {{"name", "side"}}});
    local_objects::good(store->create(local_objects::served("pods"), pod));
    Json waiting = local_objects::pod("waits", "Pending");
    waiting["spec"] = {{"containers", Json::array({{{"name", "pytorch"}}})}};
    local_objects::good(store->create(local_objects::served("pods"), waiting));
  }
  ApiAnswer upgrade(const std::string& target, std::vector<std::string> protocols) {
    ApiRequest request{"GET", target, "", ""};
    request.upgrades = true;
    request.protocols = std::move(protocols);
    return api.answer(request);
  }
};

TEST_CASE_FIXTURE(StreamServer, "exec reaches the kubelet with its words and streams") {
  const auto answer =
      upgrade(k_pod +
                  "/exec?command=sh&command=-c&command=a%20%3B+b&container=side&stdin=true&stdout=1"
                  "&stderr=false&tty=true",
              {"v9.channel.k8s.io", "v5.channel.k8s.io", "v4.channel.k8s.io"});
  CHECK(answer.code == 101);
  CHECK(answer.session);
  CHECK(answer.protocol == "v5.channel.k8s.io");
  REQUIRE(streams.asked);
  CHECK(streams.asked->command == std::vector<std::string>{"sh", "-c", "a ; b"});
  CHECK(streams.asked->container == "side");
  CHECK(streams.asked->protocol == "v5.channel.k8s.io");
  CHECK(streams.asked->input);
  CHECK(streams.asked->output);
  CHECK_FALSE(streams.asked->error_output);
  CHECK(streams.asked->terminal);
  CHECK_FALSE(streams.attached);
}

TEST_CASE_FIXTURE(StreamServer, "attach and portforward reach it, too") {
  CHECK(upgrade(k_pod + "/attach?container=pytorch&stdout=true", {"v4.channel.k8s.io"}).code ==
        101);
  CHECK(streams.attached);
  const auto answer = upgrade(k_pod + "/portforward?ports=80&ports=8080,81", {"v4.channel.k8s.io"});
  CHECK(answer.code == 101);
  CHECK(streams.ports == std::vector<int>{80, 8080, 81});
}

TEST_CASE_FIXTURE(StreamServer, "a stream is refused with the words of a real server") {
  const std::vector<std::string> v4 = {"v4.channel.k8s.io"};
  const std::string exec = "/exec?command=true&stdout=true";
  CHECK(refusal(upgrade(k_pods_path + "/none" + exec, v4), 404) == "pods \"none\" not found");
  CHECK(refusal(upgrade(k_pod + exec, v4), 400) ==
        "a container name must be specified for pod ddp-worker-0, choose one of: [pytorch side]");
  CHECK(refusal(upgrade(k_pod + exec + "&container=x", v4), 400) ==
        "container x is not valid for pod ddp-worker-0");
  CHECK(refusal(upgrade(k_pods_path + "/waits" + exec, v4), 400) ==
        "pod waits does not have a host assigned");
  CHECK(refusal(upgrade(k_pod + "/portforward", v4), 400) ==
        "query parameter \"ports\" is required");
  for (const std::string port : {"0", "65536", "x", "-1", ""}) {
    CHECK(upgrade(k_pod + "/portforward?ports=" + port, v4).code == 400);
  }
  CHECK(
      refusal(get(k_pod + exec + "&container=side"), 400).starts_with("Upgrade request required"));
  for (const std::string target : {"/exec?command=x&container=side", "/portforward?ports=1"}) {
    for (const std::vector<std::string>& offered : {std::vector<std::string>{}, {"v9.channel"}}) {
      CHECK(refusal(upgrade(k_pod + target, offered), 403) ==
            "the embedded cluster speaks v5.channel.k8s.io and v4.channel.k8s.io");
    }
  }
  CHECK_FALSE(streams.asked);
}

}  // namespace pod_endpoints_test

}  // namespace trainctl::testing
