// A submit whose connection is cut, at every byte of request and answer: one job, or an honest
// error, never two.
#include <functional>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cli/context.h"
#include "cli/run.h"
#include "net/curl_transport.h"
#include "support/all_commands.h"
#include "support/cut_proxy.h"
#include "support/fakes.h"
#include "support/net_server.h"

namespace trainctl::testing {
namespace submit_cut_test {

struct Outcome {
  int exit = 0;
  std::string out, err;
  Json created;  // the names of the jobs the server has made
};

// A server, the way to it that is cut, and the command line.
class Submissions {
 public:
  // `name`: the metadata of a manifest as short as can be.
  Submissions(const NetServer& server, const net::Endpoint& endpoint, const std::string& name)
      : proxy_(loop_, server.port()), direct_(*net::make_curl_transport(loop_, endpoint)) {
    const Halves url = split_once(endpoint.base_url, ':');
    // The check before would take the cut on a connection of its own.
    words_ = {"submit", "/job.yaml", "--no-check",
              cat("--server=", url.first, "://127.0.0.1:", proxy_.port())};
    files_.files["/job.yaml"] =
        cat("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {", name,
            "}\nspec: {pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: {containers: "
            "[{name: pytorch, image: i}]}}}}}\n");
    if (endpoint.ca_pem.empty()) return;
    files_.files["/ca.pem"] = endpoint.ca_pem;
    words_.emplace_back("--certificate-authority=/ca.pem");
  }

  Outcome submit(const Cut& cut) {
    proxy_.cut_next(cut);
    BufferConsole console;
    cli::Context context(
        all_commands(), console, files_, loop_, Environment(),
        [this](const net::Endpoint& to) { return net::make_curl_transport(loop_, to); });
    Outcome outcome;
    outcome.exit = cli::run(words_, context);
    outcome.out = console.stdout_text;
    outcome.err = console.stderr_text;
    const auto listed = fetch(loop_, *direct_, "/apis/forget");
    outcome.created = listed ? Json::parse(listed->body) : Json();
    return outcome;
  }

  // How long request and answer are when nothing is cut; a handshake is not always equally long.
  CutProxy::Passed whole() {
    REQUIRE(submit({}).exit == 0);
    CutProxy::Passed passed = proxy_.passed();
    constexpr std::size_t k_play = 16;
    return {passed.request + k_play, passed.answer + k_play};
  }

 private:
  UvLoop loop_;
  CutProxy proxy_;
  std::unique_ptr<net::Transport> direct_;
  MemoryFiles files_;
  std::vector<std::string> words_;
};

// The fault of an outcome; "" when there is none.
std::string fault(const Outcome& outcome) {
  if (!outcome.created.is_array() || outcome.created.size() > 1) return "more than one job";
  if (outcome.created.empty()) {
    const bool honest = outcome.exit == 8 && outcome.out.empty() &&
                        outcome.err.find("the job was not created") != std::string::npos;
    return honest ? "" : "no job, and no honest error";
  }
  const std::string name = outcome.created[0].get<std::string>();
  const bool reported = outcome.out == cat("pytorchjob.kubeflow.org/", name, " created\n");
  return outcome.exit == 0 && reported ? "" : "a job that is not reported";
}

struct Tally {
  int cuts = 0;
  int created = 0;
  std::string faults;

  void take(const std::string& where, const Outcome& outcome) {
    ++cuts;
    created += outcome.created.empty() ? 0 : 1;
    const std::string what = fault(outcome);
    if (what.empty() || faults.size() > 2000) return;
    faults += cat(where, ": ", what, ": exit ", outcome.exit, ", created ", dump(outcome.created),
                  ", stdout ", outcome.out, "stderr ", outcome.err);
  }
};

// Closes and resets in turn; `step` bytes from one cut to the next.
Tally cut_everywhere(Submissions& submissions, std::size_t step) {
  const CutProxy::Passed whole = submissions.whole();
  Tally tally;
  for (std::size_t at = 0; at <= whole.request; at += step) {
    tally.take(cat("request cut at ", at), submissions.submit({at, std::nullopt, at % 2 == 1}));
  }
  for (std::size_t at = 0; at <= whole.answer; at += step) {
    tally.take(cat("answer cut at ", at), submissions.submit({std::nullopt, at, at % 2 == 1}));
  }
  return tally;
}

TEST_CASE("RQ-26: a submit cut at any byte makes one job and reports it, or none and says so") {
  const NetServer server({});
  Submissions named(server, plain_endpoint(server), "name: ddp");
  const Tally tally = cut_everywhere(named, 1);
  CHECK(tally.faults == "");
  CHECK(tally.created > 0);
  CHECK(tally.created < tally.cuts);
  MESSAGE(tally.cuts << " cuts, " << tally.created << " jobs");
}

TEST_CASE("RQ-26: a job the server names is recognised after a cut as well") {
  const NetServer server({});
  Submissions generated(server, plain_endpoint(server), "generateName: ddp-");
  const Tally tally = cut_everywhere(generated, 3);
  CHECK(tally.faults == "");
  MESSAGE(tally.cuts << " cuts, " << tally.created << " jobs");
}

TEST_CASE("RQ-26: over TLS and HTTP/2 too, in the handshake and in every frame") {
  const NetServer server(NetServer::tls());
  Submissions named(server, tls_endpoint(server), "name: ddp");
  const Tally tally = cut_everywhere(named, 23);
  CHECK(tally.faults == "");
  MESSAGE(tally.cuts << " cuts, " << tally.created << " jobs");
}

}  // namespace submit_cut_test
}  // namespace trainctl::testing
