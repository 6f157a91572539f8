// A refusal must be understood at once: what happened, whose fault it is, and what to type next.
#include "kube/client/api_error.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace api_error_test {

using namespace trainctl;
using namespace trainctl::kube;

constexpr std::string_view k_jobs = "/apis/kubeflow.org/v1/namespaces/team/pytorchjobs";
constexpr std::string_view k_webhook =
    "admission webhook \"validator.pytorchjob.training-operator.kubeflow.org\" denied the "
    "request: ";

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

CallInfo call(std::string method = "GET", std::string_view target = k_jobs) {
  return {std::move(method), std::string(target), "the token of user \"u\" in /config",
          "https://k.example:6443"};
}

Json status_object(int code, std::string_view reason, std::string_view message,
                   const Json& details = nullptr) {
  Json status{{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", Json::object()},
              {"status", "Failure"}, {"message", message}, {"code", code}};
  if (!reason.empty()) status["reason"] = reason;
  if (!details.is_null()) status["details"] = details;
  return status;
}

Error refusal(int code, std::string_view reason, std::string_view message,
              const Json& details = nullptr, const CallInfo& about = call()) {
  const Json status = status_object(code, reason, message, details);
  Error error = api_error(about, {code, {{"Content-Type", "application/json"}}}, dump(status));
  CHECK(error.message.find('\n') == std::string::npos);
  CHECK(error.hint.find('\n') == std::string::npos);
  return error;
}

Error bare(int code, std::string_view body, std::vector<net::Header> headers = {},
           const CallInfo& about = call()) {
  return api_error(about, {code, std::move(headers)}, body);
}

TEST_CASE("AU-13: a refused login names the server and the credential") {
  const Error error = refusal(401, "Unauthorized", "token has expired");
  CHECK(error.code == Code::auth);
  CHECK(has(error.message, "https://k.example:6443"));
  CHECK(has(error.message, "token has expired"));
  CHECK(has(error.message, "the token of user \"u\" in /config"));
  CHECK(has(error.hint, "--context"));
}

TEST_CASE("LG-40: an RBAC refusal is exit 4 and says how to check the right") {
  const Error job = refusal(403, "Forbidden",
                            "pytorchjobs.kubeflow.org \"ok\" is forbidden: User \"dev\" cannot get "
                            "resource \"pytorchjobs\" in API group \"kubeflow.org\" in the "
                            "namespace \"verify\"",
                            Json{{"name", "ok"}});
  CHECK(job.code == Code::auth);
  CHECK(has(job.hint, "kubectl auth can-i get pytorchjobs.kubeflow.org -n verify"));
  const Error log = refusal(403, "Forbidden",
                            "pods \"ok-master-0\" is forbidden: User \"dev\" cannot get resource "
                            "\"pods/log\" in API group \"\" in the namespace \"verify\"",
                            Json{{"name", "ok-master-0"}});
  CHECK(has(log.hint, "kubectl auth can-i get pods --subresource=log -n verify"));
}

TEST_CASE("no credentials at all are a 403, which must not look like a missing right") {
  const Error error = refusal(403, "Forbidden",
                              "pytorchjobs.kubeflow.org is forbidden: User \"system:anonymous\" "
                              "cannot list resource \"pytorchjobs\" in API group \"kubeflow.org\"");
  CHECK(error.code == Code::auth);
  CHECK(has(error.message, "no credentials"));
}

TEST_CASE("a webhook's denial is exit 6 and names the webhook and its reason") {
  const Error error =
      refusal(403, "Forbidden",
              cat(k_webhook, "spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1"),
              nullptr, call("POST"));
  CHECK(error.code == Code::refused);
  CHECK(error.message ==
        "refused by the cluster's admission webhook "
        "validator.pytorchjob.training-operator.kubeflow.org: "
        "spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1");
}

TEST_CASE("a quota's refusal is exit 6, not a matter of permissions") {
  const Error error = refusal(403, "Forbidden",
                              "pytorchjobs.kubeflow.org \"q3\" is forbidden: exceeded quota: q, "
                              "requested: count/pytorchjobs.kubeflow.org=1, used: 2, limited: 2",
                              Json{{"name", "q3"}}, call("POST"));
  CHECK(error.code == Code::refused);
  CHECK(has(error.message, "exceeded quota: q"));
  CHECK_FALSE(error.hint.empty());
  const Error policy = refusal(403, "Forbidden", "pods \"x\" is forbidden: violates PodSecurity",
                               Json{{"name", "x"}}, call("POST"));
  CHECK(policy.code == Code::refused);
}

TEST_CASE("a missing job, a missing namespace and a missing operator are distinguished") {
  const Error job = refusal(404, "NotFound", "pytorchjobs.kubeflow.org \"nope\" not found",
                            Json{{"name", "nope"}, {"kind", "pytorchjobs"}});
  CHECK(job.code == Code::not_found);
  CHECK(job.message == "pytorchjobs.kubeflow.org \"nope\" not found");
  CHECK(has(job.hint, "trainctl get -n team"));

  const Error ns = refusal(404, "NotFound", "namespaces \"nonexist\" not found",
                           Json{{"name", "nonexist"}, {"kind", "namespaces"}});
  CHECK(ns.code == Code::not_found);
  CHECK(ns.message == "namespace \"nonexist\" not found");

  const Error kind = bare(404, "404 page not found\n", {{"Content-Type", "text/plain"}});
  CHECK(kind.code == Code::not_found);
  CHECK(kind.message == "the cluster does not serve pytorchjobs.kubeflow.org/v1");
  CHECK(has(kind.hint, "training operator"));

  const Error gateway = bare(404, "<html><title>Not here</title></html>", {{"Server", "nginx"}});
  CHECK(has(gateway.message, "Not here"));
  CHECK(has(gateway.hint, "https://k.example:6443"));
}

TEST_CASE("the obstacle before the server is named: a TLS port, a proxy with a password") {
  for (const char* body : {"Client sent an HTTP request to an HTTPS server.\n",
                           "<html><head><title>400 The plain HTTP request was sent to HTTPS "
                           "port</title></head></html>"}) {
    const Error error = bare(400, body);
    CHECK(error.code == Code::unreachable);
    CHECK(has(error.hint, "https://"));
  }
  const Error proxy = bare(407, "");
  CHECK(proxy.code == Code::unreachable);
  CHECK(has(proxy.message, "requires a user and a password"));
}

TEST_CASE("a name that is taken leads to --if-exists, a conflict to another try") {
  const CallInfo post = call("POST");
  const Error exists =
      refusal(409, "AlreadyExists", "pytorchjobs.kubeflow.org \"ok\" already exists", {}, post);
  CHECK(exists.code == Code::refused);
  CHECK(has(exists.hint, "--if-exists"));
  const Error dying = refusal(409, "AlreadyExists",
                              "object is being deleted: pytorchjobs.kubeflow.org \"rec-b\" already "
                              "exists",
                              {}, post);
  CHECK(has(dying.hint, "still being deleted"));
  const Error stale =
      refusal(409, "Conflict", "Operation cannot be fulfilled on …", {}, call("PATCH"));
  CHECK(stale.code == Code::refused);
  CHECK_FALSE(has(stale.hint, "--if-exists"));
  CHECK(has(bare(409, "", {}, post).hint, "--if-exists"));  // RQ-10
}

TEST_CASE("unknown fields are named, without the decoder's preamble") {
  const Error error = refusal(
      400, "BadRequest",
      "PyTorchJob in version \"v1\" cannot be handled as a PyTorchJob: strict decoding error: "
      "unknown field \"spec.cleanPodPolicy\", unknown field \"spec.zz\"");
  CHECK(error.code == Code::refused);
  CHECK(error.message ==
        "the manifest is not a valid PyTorchJob: unknown field "
        "\"spec.cleanPodPolicy\", unknown field \"spec.zz\"");
}

TEST_CASE("RQ-16: an invalid object lists each fault once, without the noise") {
  constexpr std::string_view k_noise =
      "Invalid value: null: some validation rules were not checked because the object was "
      "invalid; correct the existing errors to complete validation";
  const Json causes = Json::array({{{"field", "spec.a"}, {"message", "Required value"}},
                                   {{"field", "spec.a"}, {"message", "Required value"}},
                                   {{"field", "spec.b"}, {"message", "must be 1"}},
                                   {{"field", "<nil>"}, {"message", k_noise}}});
  const Error error = refusal(422, "Invalid",
                              cat("PyTorchJob.kubeflow.org \"i1c\" is invalid: [spec.a: Required "
                                  "value, <nil>: ",
                                  k_noise, "]"),
                              Json{{"causes", causes}});
  CHECK(error.code == Code::refused);
  CHECK(error.message ==
        "PyTorchJob.kubeflow.org \"i1c\" is invalid: spec.a: Required value; "
        "spec.b: must be 1");
  CHECK(refusal(422, "Invalid", "plain words").message == "plain words");
}

TEST_CASE("an object that is too large is refused, not a cluster in trouble") {
  for (const auto& [code, message] :
       {std::pair(500, "etcdserver: request is too large"),
        std::pair(500,
                  "rpc error: code = ResourceExhausted desc = trying to send message larger "
                  "than max (2097695 vs. 2097152)"),
        std::pair(413, "Request entity too large: limit is 3145728")}) {
    CAPTURE(message);
    const Error error = refusal(code, "", message);
    CHECK(error.code == Code::refused);
    CHECK(has(error.message, message));
  }
}

TEST_CASE("a webhook that does not answer is the cluster's trouble, and named") {
  const Error error = refusal(
      500, "InternalError",
      "Internal error occurred: failed calling webhook \"validator.x\": failed to call webhook: "
      "Post \"https://s?timeout=2s\": dial tcp 127.0.0.1:9: connect: connection refused");
  CHECK(error.code == Code::unreachable);
  CHECK(has(error.message, "admission webhook validator.x is not answering"));
  CHECK(has(error.message, "connection refused"));
  CHECK(has(error.hint, "nothing was created"));
}

TEST_CASE("busy and failing servers are exit 8") {
  CHECK(refusal(429, "TooManyRequests", "Too many requests").code == Code::unreachable);
  CHECK(refusal(500, "", "Get \"https://10.0.0.2:10250/containerLogs\": connection refused").code ==
        Code::unreachable);
  CHECK(refusal(504, "Timeout", "Too large resource version").code == Code::unreachable);
}

TEST_CASE("RQ-14: a gateway's page is quoted by its first line, with who sent it") {
  const std::string page =
      "<html>\n<head><title>503 Service Unavailable</title></head><body>" + std::string(3000, 'x');
  const Error error = bare(503, page, {{"Content-Type", "text/html"}, {"Server", "envoy"}});
  CHECK(error.code == Code::unreachable);
  CHECK(has(error.message, "503 Service Unavailable"));
  CHECK(has(error.message, "envoy"));
  CHECK(error.message.size() < 300);
  CHECK_FALSE(has(error.message, "<html>"));
  CHECK(has(error.hint, "proxy or load balancer"));
}

TEST_CASE("RQ-11, RQ-13, RQ-17: the Status counts before HTTP, text counts without a Status") {
  const Json inner = status_object(404, "NotFound", "pods \"p\" not found");
  CHECK(api_error(call(), {400, {}}, dump(inner)).code == Code::not_found);
  const Error text = bare(403, "access denied by policy\n", {{"Content-Type", "text/plain"}});
  CHECK(text.code == Code::auth);
  CHECK(has(text.message, "access denied by policy"));
  CHECK(refusal(418, "", "teapot").message == "teapot");
  CHECK_FALSE(bare(500, "").message.empty());
}

Refusal refused(std::string message) {
  return {500, "InternalError", std::move(message), std::nullopt};
}

TEST_CASE("LG-41: a kubelet that the API server does not trust is a matter for administrators") {
  for (const char* why : {"tls: failed to verify certificate: x509: no IP SANs",
                          "remote error: tls: internal error"}) {
    const std::string get =
        R"(Get "https://10.0.0.7:10250/containerLogs/default/p/c?follow=true": )";
    const Error error = refusal(500, "InternalError", get + why);
    CHECK(error.message ==
          cat("the API server cannot read logs from the kubelet at 10.0.0.7:10250: ", why));
    CHECK(has(error.hint, "kubectl get csr"));
    CHECK(is_permanent(refused(get + why)));
  }
  const std::string get = R"(Get "https://n1:10250/containerLogs/default/p/c": dial tcp: )";
  CHECK(is_permanent(refused(get + "lookup n1: no such host")));
  // The kubelet is restarted, the pod of a webhook is replaced.
  CHECK_FALSE(is_permanent(refused(get + "connect: connection refused")));
  CHECK_FALSE(is_permanent(refused(R"(failed calling webhook "w": dial tcp: no such host)")));
}

TEST_CASE("a hostile server cannot write to the terminal through its messages") {
  CHECK_FALSE(has(refusal(500, "", "a\x1b[2Jb\nc").message, "\x1b"));
  CHECK_FALSE(has(bare(503, "\x1b]0;title\x07").message, "\x1b"));
  CHECK_FALSE(has(bare(302, "", {{"Location", "\x1b[2J"}}).message, "\x1b"));
}

TEST_CASE("callers can read status, reason and the wished delay off an answer") {
  const Json expired = status_object(410, "Expired", "too old");
  const Refusal refused = read_refusal("GET", {200, {}}, dump(expired));
  CHECK(refused.status == 410);
  CHECK(refused.reason == "Expired");
  CHECK_FALSE(refused.retry_after);
  const Json wish = status_object(504, "Timeout", "x", Json{{"retryAfterSeconds", 3}});
  CHECK(read_refusal("GET", {504, {}}, dump(wish)).retry_after ==
        Duration(std::chrono::seconds(3)));
  CHECK(read_refusal("GET", {429, {{"retry-after", "2"}}}, "").retry_after ==
        Duration(std::chrono::seconds(2)));
}

TEST_CASE("RQ-23: a Retry-After that is no whole number of seconds is ignored") {
  for (const char* value : {"-1", "1.5", "Sat, 25 Aug 2012 23:34:45 GMT", "", "9999999999999"}) {
    CAPTURE(value);
    CHECK_FALSE(read_refusal("GET", {429, {{"Retry-After", value}}}, "").retry_after);
  }
}

}  // namespace api_error_test
