// A store and a kubelet that runs real, short processes, and ways to look at pods.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "base/value/yaml.h"
#include "local/kubelet/kubelet.h"
#include "local/objects.h"
#include "support/net_server.h"

namespace trainctl::testing {

using namespace trainctl::local;
using namespace trainctl::testing::local_objects;
using namespace std::chrono_literals;

struct KubeletWorld {
  explicit KubeletWorld(int gpus = 0) : store(open_store(loop)) {
    settings.directory = place.path();
    settings.environment = Environment({{"PATH", "/usr/bin:/bin"}, {"HOME", "/"}});
    settings.gpus = gpus;
    start();
  }
  ~KubeletWorld() {
    bool stopped = false;
    kubelet->stop_all(0s, [&stopped] { stopped = true; });
    loop.run_until([&stopped] { return stopped; });
  }
  void start() { kubelet = std::make_unique<Kubelet>(loop, *store, settings); }

  // A pod of one container named c that runs a shell script; `rest` is more of its spec.
  void run(std::string_view name, std::string_view script, std::string_view policy = "Never",
           std::string_view container = "{}", std::string_view rest = "{}") {
    Json spec = *from_yaml(rest, "spec");
    Json c = *from_yaml(container, "container");
    c["name"] = "c";
    c["image"] = "i";
    if (!script.empty()) c["command"] = Json::array({"sh", "-c", std::string(script)});
    spec["containers"] = Json::array({c});
    spec["restartPolicy"] = policy;
    add("pods", name, Json{{"spec", spec}, {"status", {{"phase", "Pending"}}}});
  }
  void add(std::string_view plural, std::string_view name, Json object) {
    object["metadata"] = {{"name", name}, {"namespace", "ml"}};
    if (!labels.empty()) object["metadata"]["labels"] = labels;
    if (!owner.empty()) {
      object["metadata"]["ownerReferences"] = Json::array(
          {Json{{"kind", "PyTorchJob"}, {"name", "ddp"}, {"uid", owner}, {"controller", true}}});
    }
    const auto made = store->create(served(plural), object);
    REQUIRE(std::holds_alternative<Json>(made));
  }
  Json pod(std::string_view name) {
    const auto found = store->get(served("pods"), "ml", name);
    return found ? *found : Json();
  }
  // Waits until the pod's field has a value, and returns the pod.
  Json until(std::string_view name, std::string_view pointer, std::string_view value) {
    loop.run_until([&] { return text_at(pod(name), pointer) == value; });
    return pod(name);
  }
  Json finished(std::string_view name) {
    loop.run_until([&] {
      const auto phase = text_at(pod(name), "/status/phase");
      return phase == "Succeeded" || phase == "Failed";
    });
    return pod(name);
  }
  std::string log(std::string_view name, const LogQuestion& question = {}) {
    return log_of(pod(name), question);
  }
  std::string log_of(const Json& pod, const LogQuestion& question) {
    const auto answer = kubelet->answer(pod, question);
    if (!answer.stream) return cat(answer.code, " ", answer.body);
    std::string text;
    while (const auto part = answer.stream->read(4096)) text += *part;
    return text;
  }
  std::vector<std::string> events(std::string_view name) {
    std::vector<std::string> lines;
    for (const auto& event : store->list(served("events"), "ml")) {
      if (text_at(*event, "/involvedObject/name") != name) continue;
      lines.push_back(cat(text_at(*event, "/reason"), ": ", text_at(*event, "/message")));
    }
    return lines;
  }
  bool has_event(std::string_view name, std::string_view line) {
    const auto lines = events(name);
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  }

  std::string owner;  // uid of the job that owns added objects; "" = none
  Json labels;        // of the pods
  TemporaryDirectory place;
  UvLoop loop;
  std::unique_ptr<Store> store;
  KubeletSettings settings;
  std::unique_ptr<Kubelet> kubelet;
};

inline constexpr std::string_view k_state = "/status/containerStatuses/0/state";

}  // namespace trainctl::testing
