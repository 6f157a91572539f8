// What kubectl's typed commands send: create configmap, secret, namespace; auth whoami, can-i.
#include "local/api/protobuf.h"

#include "base/text/text.h"
#include "local/api/api_server.h"

namespace trainctl::testing {
namespace TEST_FILE {

std::string field(int number, std::string_view bytes) {
  return cat(std::string(1, static_cast<char>(number << 3 | 2)),
             std::string(1, static_cast<char>(bytes.size())), bytes);
}
std::string flag(int number, bool value) {
  return {static_cast<char>(number << 3), value ? '\1' : '\0'};
}
std::string entry(std::string_view key, std::string_view value) {
  return field(1, key) + field(2, value);
}
std::string body(std::string_view version, std::string_view kind, const std::string& object) {
  return std::string("k8s\0", 4) + field(1, field(1, version) + field(2, kind)) + field(2, object) +
         field(3, "") + field(4, "");
}
// As Go writes it: strings that are not set are there, and empty.
std::string metadata(std::string_view name) {
  return field(
      1, field(1, name) + field(2, "") + field(3, "") + field(8, "") + field(11, entry("a", "b")));
}

ApiAnswer send(ApiServer& server, const std::string& target, const std::string& bytes) {
  return server.send("POST", target, bytes, "application/vnd.kubernetes.protobuf");
}

TEST_CASE("kubectl's own create commands and reviews reach the server") {
  struct Row {
    std::string target, version, kind, object;
    std::string_view pointer, expected;
  };
  const std::string core = "/api/v1/namespaces";
  const std::string reviews = "/apis/authorization.k8s.io/v1/selfsubject";
  const Row rows[] = {
      {k_maps, "v1", "ConfigMap", metadata("m") + field(2, entry("x", "y")), "/data/x", "y"},
      {k_maps, "v1", "ConfigMap", metadata("n") + field(3, entry("x", "\xff")), "/binaryData/x",
       "/w=="},
      {core + "/default/secrets", "v1", "Secret",
       metadata("s") + field(2, entry("x", "y")) + field(3, "Opaque"), "/data/x", "eQ=="},
      {core, "v1", "Namespace", metadata("ns") + field(2, "") + field(3, field(1, "")),
       "/spec/finalizers/0", "kubernetes"},
      {core + "/default/serviceaccounts", "v1", "ServiceAccount", metadata("sa"),
       "/metadata/labels/a", "b"},
      {"/apis/authentication.k8s.io/v1/selfsubjectreviews", "authentication.k8s.io/v1",
       "SelfSubjectReview", metadata("") + field(2, field(1, "")), "/status/userInfo/username",
       "admin"},
      {reviews + "accessreviews", "authorization.k8s.io/v1", "SelfSubjectAccessReview",
       field(2, field(1, field(2, "create") + field(5, "pods"))) + field(3, flag(1, false)),
       "/spec/resourceAttributes/verb", "create"},
      {reviews + "rulesreviews", "authorization.k8s.io/v1", "SelfSubjectRulesReview",
       field(2, field(1, "default")), "/status/resourceRules/0/verbs/0", "*"},
  };
  ApiServer server;
  for (const Row& row : rows) {
    CAPTURE(row.kind);
    const Json made =
        server.good(send(server, row.target, body(row.version, row.kind, row.object)), 201);
    CHECK(text_at(made, row.pointer) == row.expected);
  }
}

TEST_CASE("a protobuf message that would lose a field is refused, and so are broken ones") {
  ApiServer server;
  const std::string whole = body("v1", "ConfigMap", metadata("m") + field(2, entry("x", "y")));
  CHECK(from_protobuf(whole));
  const std::string refused[] = {
      body("v1", "Pod", metadata("p")),
      body("v1", "ConfigMap", metadata("m") + field(9, "unknown")),
      body("v1", "ConfigMap", metadata("m") + field(2, entry("x", "\xff"))),
      body("v1", "ConfigMap", metadata("m") + flag(2, true)),
      "k8s",
      "",
  };
  for (const std::string& bytes : refused) {
    CHECK(send(server, k_maps, bytes).code == 415);
  }
  const std::size_t head = 4;
  for (std::size_t size = head; size < whole.size(); ++size) {
    (void)from_protobuf(whole.substr(0, size));
    std::string changed = whole;
    changed[size] = static_cast<char>(changed[size] ^ 0x80);
    (void)from_protobuf(changed);
  }
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
