// Creating a job is one transaction: whichever request fails, what is left in the cluster is what
// the error says, and a job never lives without what it needs.
#include "work/create/create.h"

#include <functional>
#include <map>
#include <set>
#include <utility>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "kube/auth/credentials.h"
#include "manifest/code.h"
#include "support/fake_access.h"
#include "support/fakes.h"
#include "work/api_transport.h"

namespace trainctl::testing {
namespace create_test {

using Objects = std::set<std::string>;  // "configmap/settings", as errors name them

const std::string k_secrets = "/api/v1/namespaces/default/secrets";
const std::string k_claims = "/api/v1/namespaces/default/persistentvolumeclaims";

job::DependentObject companion(std::string_view plural, std::string_view kind,
                               const std::string& name) {
  Json object = {{"apiVersion", "v1"},
                 {"kind", kind},
                 {"metadata", {{"name", name}, {"namespace", "default"}}}};
  return {{"", "v1", plural, kind}, std::move(object)};
}

work::Manifest job_with(std::vector<job::DependentObject> companions) {
  work::Manifest manifest;
  manifest.kind = job::find_kind("pytorch");
  manifest.ns = "default";
  manifest.object = job_manifest("ddp");
  manifest.object["metadata"]["namespace"] = "default";
  manifest.companions = std::move(companions);
  return manifest;
}

std::vector<job::DependentObject> settings_and_secret() {
  return {companion("configmaps", "ConfigMap", "settings"), companion("secrets", "Secret", "keys")};
}

std::vector<job::DependentObject> code_of_two_maps() {
  job::PackedCode code;
  const std::string archive(1'500'000, 'x');
  code.digest = std::string(64, 'a');
  code.size = archive.size();
  std::vector<job::DependentObject> maps = job::code_maps(code, archive, "ada");
  // Short, since each of many submits parses them again.
  for (job::DependentObject& map : maps) {
    for (Json& piece : map.object["binaryData"]) piece = "eA==";
  }
  return maps;
}

struct Attempt {
  Status status;
  Objects left;         // of the submit
  bool owned = true;    // each of them belongs to the job
  bool faulty = false;  // the request that was to fail was made
};

class Cluster {
 public:
  Attempt submit(const work::Manifest& manifest, Fault fault, int at,
                 work::IfExists if_exists = work::IfExists::fail, int in_a_row = 1) {
    int asked = 0;
    const auto fault_of = [&](int number) {
      asked = number + 1;
      return number >= at && number < at + in_a_row ? fault : Fault::none;
    };
    Attempt attempt = submit(manifest, fault_of, if_exists);
    attempt.faulty = asked > at;
    return attempt;
  }

  // `fault_of` may also change the cluster before a request arrives.
  Attempt submit(const work::Manifest& manifest, std::function<Fault(int number)> fault_of,
                 work::IfExists if_exists = work::IfExists::fail) {
    auto transport = std::make_unique<ApiTransport>(server_, std::move(fault_of));
    MemoryFiles files;
    BufferConsole console;
    auto credentials = std::make_unique<kube::Credentials>(
        server_.loop, files, Environment(), kube::AuthInfo{}, true, false, [](std::string) {});
    kube::Client client(server_.loop, std::move(transport), std::move(credentials), "https://fake",
                        std::nullopt, [](std::string) {});
    FakeAccess access(console, files, server_.loop, Environment(variables_), &client);
    Attempt attempt;
    const auto created = work::create_job(access, manifest, if_exists, {});
    if (!created) attempt.status = created.error();
    collect_garbage();
    attempt.left = objects();
    attempt.owned = all_owned();
    return attempt;
  }

  ApiServer& server() { return server_; }

  Objects objects() {
    Objects found;
    for (const auto& [path, prefix] : lists()) {
      for (const std::string& name : names_of(server_.good(server_.get(path)))) {
        if (name != "kube-root-ca.crt") found.insert(prefix + name);
      }
    }
    return found;
  }

 private:
  static std::vector<std::pair<std::string, std::string>> lists() {
    return {{k_jobs, "pytorchjob.kubeflow.org/"},
            {k_maps, "configmap/"},
            {k_secrets, "secret/"},
            {k_claims, "persistentvolumeclaim/"}};
  }

  // Gives the cluster the time to delete what has lost its last owner.
  void collect_garbage() {
    bool over = false;
    const HandlePtr timer = server_.loop.after(std::chrono::minutes(1), [&over] { over = true; });
    server_.loop.run_until([&over] { return over; });
  }

  bool all_owned() {
    for (const auto& [path, prefix] : lists()) {
      if (path == k_jobs) continue;
      const Json list = server_.good(server_.get(path));
      for (const Json& item : array_at(list, "/items")) {
        const bool is_own = text_at(item, "/metadata/name") != "kube-root-ca.crt";
        if (is_own && array_at(item, "/metadata/ownerReferences").empty()) return false;
      }
    }
    return true;
  }

  const std::map<std::string, std::string, std::less<>> variables_ = {{"USER", "ada"}};
  ApiServer server_;
  local::GarbageCollector collector_{server_.loop, *server_.store};
};

// The objects that an error says are still there.
Objects said_to_be_left(const Error& error) {
  Objects said;
  for (const std::string& part : split(error.message, ';')) {
    const bool says_so = part.find(" left behind") != std::string::npos ||
                         part.ends_with(" stays") || part.ends_with(" stay");
    if (!says_so) continue;
    for (const std::string& word : split(part, ' ')) {
      if (word.find('/') == std::string::npos) continue;
      said.insert(word.ends_with(',') ? word.substr(0, word.size() - 1) : word);
    }
  }
  return said;
}

// A job whose existence is not known may be there without being named.
bool is_unknown(const Error& error) {
  return error.hint.find("it is not known whether") != std::string::npos;
}

struct Row {
  std::string name;
  std::vector<job::DependentObject> companions;
};

TEST_CASE("whichever requests of a submit fail, the error says what is left in the cluster") {
  const Row rows[] = {{"a job alone", {}},
                      {"a job with a config map and a secret", settings_and_secret()},
                      {"a job with code", code_of_two_maps()}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const work::Manifest manifest = job_with(row.companions);
    const Objects whole = Cluster().submit(manifest, Fault::none, 0).left;
    REQUIRE(whole.size() == row.companions.size() + 1);
    const std::pair<Fault, int> faults[] = {{Fault::refused, 1},
                                            {Fault::answer_lost, 1},
                                            {Fault::answer_lost, 20},
                                            {Fault::forbidden, 1},
                                            {Fault::forbidden, 2}};
    for (const auto& [fault, in_a_row] : faults) {
      CAPTURE(fault);
      CAPTURE(in_a_row);
      int failures = 0;
      for (int at = 0;; ++at) {
        CAPTURE(at);
        const Attempt attempt =
            Cluster().submit(manifest, fault, at, work::IfExists::fail, in_a_row);
        if (!attempt.faulty) break;
        if (attempt.status) {
          CHECK(attempt.left == whole);
          CHECK(attempt.owned);
          continue;
        }
        ++failures;
        const Error& error = attempt.status.error();
        CAPTURE(error.message);
        CAPTURE(error.hint);
        Objects left = attempt.left;
        // A job that stays is not without what it needs.
        if (left.contains("pytorchjob.kubeflow.org/ddp")) CHECK(left == whole);
        if (is_unknown(error)) left.erase("pytorchjob.kubeflow.org/ddp");
        // Without a server the error names what may be there.
        if (in_a_row <= 2) CHECK(left == said_to_be_left(error));
      }
      // A request that the server refuses is not repeated.
      if (fault == Fault::forbidden) CHECK(failures > 0);
    }
  }
}

TEST_CASE("a submit that loses the name to another deletes what it had created for the job") {
  // The job is looked for, the two objects are created, then the job.
  for (const int before : {0, 3}) {
    CAPTURE(before);
    Cluster cluster;
    const Attempt attempt = cluster.submit(job_with(settings_and_secret()), [&](int number) {
      if (number == before) {
        cluster.server().good(cluster.server().post(k_jobs, job_manifest("ddp")), 201);
      }
      return Fault::none;
    });
    REQUIRE_FALSE(attempt.status);
    CHECK(attempt.status.error().code == Code::refused);
    CHECK(attempt.left == Objects{"pytorchjob.kubeflow.org/ddp"});
  }
}

job::DependentObject new_claim() {
  job::DependentObject claim = companion("persistentvolumeclaims", "PersistentVolumeClaim", "data");
  claim.object["spec"] = {{"accessModes", {"ReadWriteOnce"}},
                          {"resources", {{"requests", {{"storage", "1Gi"}}}}}};
  claim.sharing = job::Sharing::kept;
  return claim;
}

TEST_CASE("a claim outlives its job, and one that is there already is used") {
  Cluster cluster;
  const Attempt first = cluster.submit(job_with({new_claim()}), Fault::none, 0);
  REQUIRE(first.status);
  CHECK(first.left == Objects{"persistentvolumeclaim/data", "pytorchjob.kubeflow.org/ddp"});
  CHECK_FALSE(first.owned);
  work::Manifest second = job_with({new_claim()});
  second.object["metadata"]["name"] = "second";
  CHECK(cluster.submit(second, Fault::none, 0).status);
}

TEST_CASE("a claim that was made for a job that is refused goes with it") {
  Cluster cluster;
  cluster.server().good(cluster.server().post(k_jobs, job_manifest("ddp")), 201);
  const Attempt attempt = cluster.submit(job_with({new_claim()}), Fault::none, 0);
  REQUIRE_FALSE(attempt.status);
  CHECK(attempt.left == Objects{"pytorchjob.kubeflow.org/ddp"});
}

TEST_CASE("jobs with the same code share its config maps, and each is an owner") {
  Cluster cluster;
  REQUIRE(cluster.submit(job_with(code_of_two_maps()), Fault::none, 0).status);
  work::Manifest second = job_with(code_of_two_maps());
  second.object["metadata"]["name"] = "second";
  const Attempt attempt = cluster.submit(second, Fault::none, 0);
  REQUIRE(attempt.status);
  CHECK(attempt.left.size() == 2 + code_of_two_maps().size());
  const Json maps = cluster.server().good(cluster.server().get(k_maps));
  for (const Json& map : array_at(maps, "/items")) {
    if (text_at(map, "/metadata/name") == "kube-root-ca.crt") continue;
    CHECK(array_at(map, "/metadata/ownerReferences").size() == 2);
  }
}

}  // namespace create_test
}  // namespace trainctl::testing
