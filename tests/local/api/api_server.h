// The embedded API server with a store in memory and simulated time, for tests.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "base/value/json.h"
#include "local/api/api.h"
#include "local/api/garbage.h"
#include "local/objects.h"

namespace trainctl::testing {

using namespace trainctl::local;

inline const std::string k_jobs = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs";
inline const std::string k_maps = "/api/v1/namespaces/default/configmaps";
inline const std::string k_pods_path = "/api/v1/namespaces/default/pods";

struct RecordedLogs : PodLogs {
  ApiAnswer answer(const Json& pod, const LogQuestion& question) override {
    asked = question;
    ApiAnswer answer;
    answer.body = "log of " + text_at(pod, "/metadata/name");
    return answer;
  }
  std::optional<Json> ended_pod(std::string_view, std::string_view name) const override {
    return text_at(ended, "/metadata/name") == name ? std::optional(ended) : std::nullopt;
  }
  std::optional<LogQuestion> asked;
  Json ended;
};

class IdleSession : public ApiSession {
 public:
  void begin(ApiSocket&) override {}
  void take(std::string_view) override {}
  void on_drained() override {}
};

struct RecordedStreams : PodStreams {
  std::unique_ptr<ApiSession> exec(const Json&, const StreamQuestion& question) override {
    asked = question;
    return std::make_unique<IdleSession>();
  }
  std::unique_ptr<ApiSession> attach(const Json& pod, const StreamQuestion& question) override {
    attached = true;
    return exec(pod, question);
  }
  std::unique_ptr<ApiSession> forward(const Json&, const std::vector<int>& wanted) override {
    ports = wanted;
    return std::make_unique<IdleSession>();
  }
  std::optional<StreamQuestion> asked;
  bool attached = false;
  std::vector<int> ports;
};

inline Json body_of(const ApiAnswer& answer) {
  const Result<Json> body = parse_json(answer.body, "answer");
  REQUIRE_MESSAGE(body.has_value(), answer.body);
  return *body;
}

struct ApiServer {
  FakeLoop loop;
  std::unique_ptr<Store> store = local_objects::open_store(loop);
  RecordedLogs logs;
  RecordedStreams streams;
  Api api{loop, *store, logs, streams};

  ApiServer() { seed(*store); }

  ApiAnswer send(std::string method, std::string target, std::string body = "",
                 std::string content_type = "application/json") {
    return api.answer(
        {std::move(method), std::move(target), std::move(content_type), std::move(body)});
  }
  ApiAnswer get(std::string target) { return send("GET", std::move(target), "", ""); }
  ApiAnswer post(std::string target, const Json& body) {
    return send("POST", std::move(target), dump(body));
  }
  ApiAnswer patch(std::string target, const Json& body,
                  std::string type = "application/merge-patch+json") {
    return send("PATCH", std::move(target), dump(body), std::move(type));
  }
  // The body of an answer, which must have this code.
  Json good(const ApiAnswer& answer, int code = 200) {
    REQUIRE_MESSAGE(answer.code == code, answer.body);
    return body_of(answer);
  }
  std::string refusal(const ApiAnswer& answer, int code) {
    return text_at(good(answer, code), "/message");
  }
  Json make_map(std::string_view name, const Json& labels = Json::object()) {
    Json object = {{"metadata", {{"name", name}}}};
    if (!labels.empty()) object["metadata"]["labels"] = labels;
    return good(post(k_maps, object), 201);
  }
};

inline Json job_manifest(std::string_view name) {
  const Json container = {{"name", "pytorch"}, {"image", "i:1"}};
  const Json replica = {{"replicas", 1},
                        {"template", {{"spec", {{"containers", Json::array({container})}}}}}};
  return {{"apiVersion", "kubeflow.org/v1"},
          {"kind", "PyTorchJob"},
          {"metadata", {{"name", name}}},
          {"spec", {{"pytorchReplicaSpecs", {{"Master", replica}, {"Worker", replica}}}}}};
}

inline std::vector<std::string> names_of(const Json& list) {
  std::vector<std::string> names;
  for (const Json& item : array_at(list, "/items"))
    names.push_back(text_at(item, "/metadata/name"));
  return names;
}

// All that a stream delivers now, as JSON lines.
inline std::vector<Json> lines_of(ApiStream& stream) {
  std::string text;
  while (true) {
    const auto piece = stream.read(100);
    if (!piece || piece->empty()) break;
    CHECK(piece->size() <= 100);
    text += *piece;
  }
  std::vector<Json> lines;
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty()) lines.push_back(*parse_json(line, "line"));
  }
  return lines;
}

}  // namespace trainctl::testing
