// Sets up what a golden case names, runs its command line, and collects what comes out.
#include "cases/golden_case.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/text/time.h"
#include "base/value/yaml.h"
#include "cases/shell_words.h"
#include "cases/worlds.h"
#include "cli/local_cluster.h"
#include "cli/run.h"
#include "history/history.h"
#include "history/run_report.h"
#include "net/url.h"
#include "support/all_commands.h"

namespace trainctl::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_home = "/home/ada";
constexpr std::string_view k_work = "/work";
constexpr std::string_view k_kubeconfig_of_ada = R"(apiVersion: v1
kind: Config
current-context: test
clusters:
  - name: test
    cluster: {server: "https://cluster.test:6443"}
users:
  - name: ada
    user: {token: secret-token-of-ada}
contexts:
  - name: test
    context: {cluster: test, user: ada, namespace: default}
)";

// Ends with its client, and the server's complaints stay.
struct Connection : net::Transport {
  explicit Connection(std::shared_ptr<FakeTransport> the_server) : server(std::move(the_server)) {}
  HandlePtr start(net::Request request, net::Handlers handlers) override {
    return server->start(std::move(request), std::move(handlers));
  }
  std::shared_ptr<FakeTransport> server;
};

std::map<std::string, std::string> files_below(const fs::path& root) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    found[fs::relative(entry.path(), root).string()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return found;
}

// "@NAME" is that file of files/, which several cases have.
std::string content_of(const std::string& section) {
  if (!section.starts_with('@') || split(section, '\n').size() != 2) return section;
  const fs::path path = fs::path(TRAINCTL_CASES) / "files" / section.substr(1, section.size() - 2);
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file, "there is no ", path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// Most cases are about something else than the check that precedes a job's creation.
bool scripts_the_check(const CaseFile& file) {
  const std::string cmd = file.text("cmd");
  const bool creates = cmd.find(" submit") != std::string::npos ||
                       cmd.find(" rerun") != std::string::npos ||
                       cmd.find(" dev") != std::string::npos;
  return !creates || cat('\n', file.text("world")).find("\ncheck-") != std::string::npos ||
         file.text("server").find("selfsubjectaccessreviews") != std::string::npos;
}

// A history that cannot be used.
struct FailingHistory : work::PastRuns {
  explicit FailingHistory(std::string why) : fault{Code::error, std::move(why), ""} {}
  Status keep(const work::PastRun&, Time) override { return fault; }
  Result<std::vector<work::PastRun>> list(const work::RunQuery&) override { return fault; }
  Result<work::PastRun> find(std::int64_t) override { return fault; }
  Result<bool> has_submitted(const std::string&) override { return fault; }
  Error fault;
};

// As the case shows them: oldest first, each with its manifest.
std::string runs_in(work::PastRuns& history) {
  Json runs = Json::array();
  const auto all = history.list({});
  if (!all) return cat(all.error().message, "\n");
  for (auto run = all->rbegin(); run != all->rend(); ++run) {
    const auto whole = history.find(run->number);
    Json facts = work::run_facts(*whole);
    if (!whole->manifest.is_null()) facts["manifest"] = whole->manifest;
    runs.push_back(std::move(facts));
  }
  return to_yaml(runs);
}

// Whether this build is one that the case is about.
bool concerns_this_build(const CaseFile& file) {
  const bool is_embedded = cli::check_local_host().has_value();
  return file.text("needs") != (is_embedded ? "no embedded cluster\n" : "embedded cluster\n");
}

}  // namespace

const std::vector<std::string>& case_names() {
  static const std::vector<std::string> names = [] {
    const fs::path root(TRAINCTL_CASES);
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".case") continue;
      std::string name = entry.path().lexically_relative(root).replace_extension().string();
      if (concerns_this_build(read_case(name))) found.push_back(std::move(name));
    }
    std::sort(found.begin(), found.end());
    return found;
  }();
  return names;
}

fs::path path_of_case(const std::string& name) {
  return fs::path(TRAINCTL_CASES) / cat(name, ".case");
}

CaseFile read_case(const std::string& name) {
  std::ifstream file(path_of_case(name), std::ios::binary);
  auto read = CaseFile::read(std::string(std::istreambuf_iterator<char>(file), {}));
  if (!read) FAIL(read.error().message);
  return *std::move(read);
}

Outcome GoldenCase::run() {
  Result<std::vector<Exchange>> script = server ? std::move(*server) : exchanges();
  if (!script) FAIL(script.error().message);
  script_ = *std::move(script);
  set_up_files();
  set_up_console();
  send_signals();
  auto words = shell_words(file_.text("cmd"));
  REQUIRE_MESSAGE(words, "cmd has an open quote");
  REQUIRE_MESSAGE((!words->empty() && words->front() == "trainctl"), "cmd starts with trainctl");
  words->erase(words->begin());

  cli::Context context(all_commands(), console_, files_, loop_, environment(),
                       [this](const net::Endpoint& endpoint) { return connect(endpoint); });
  int submissions = 0;
  context.unique_id = [&submissions] { return cat("submission-", ++submissions); };
  set_up_disk(context);
  set_up_history(context);
  const int status = cli::run(*words, context);
  Outcome outcome{
      console_.stdout_text, console_.stderr_text, cat(status, "\n"), written_files(), {}, {}, {}};
  if (context.history) outcome.history = runs_in(*context.history);
  if (!disk_.empty()) {
    outcome.disk = files_below(disk_);
    fs::remove_all(disk_);
  }
  for (const auto& [host, server] : servers_) {
    std::ranges::move(server->complaints(), std::back_inserter(outcome.complaints));
  }
  if (servers_.size() < file_.has("server") + file_.below("server").size()) {
    outcome.complaints.emplace_back("there is a server to which no client was made");
  }
  return outcome;
}

void GoldenCase::set_up_files() {
  const std::string kubeconfig = cat(k_home, "/.kube/config");
  files_.files[kubeconfig] = file_.has("kubeconfig") ? content_of(file_.text("kubeconfig"))
                                                     : std::string(k_kubeconfig_of_ada);
  // Reached by the relative path that is typed, and by the absolute one.
  for (const auto& [name, content] : file_.below("files")) {
    files_.files[name] = files_.files[cat(k_work, "/", name)] = content_of(content);
  }
  for (const auto& [name, content] : file_.below("root")) {
    files_.files["/" + name] = content_of(content);
  }
}

// A real directory for commands that copy files.
void GoldenCase::set_up_disk(cli::Context& context) {
  const auto before = file_.below("disk");
  if (before.empty() && file_.below("disk-after").empty()) return;
  disk_ = (fs::temp_directory_path() / "trainctl-case-XXXXXX").string();
  REQUIRE(mkdtemp(disk_.data()) != nullptr);
  for (const auto& [name, content] : before) {
    const fs::path path = fs::path(disk_) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    files_.files[path.string()] = content;
  }
  context.directory = disk_;
}

void GoldenCase::set_up_history(cli::Context& context) {
  if (!file_.has("history") && !file_.has("history-after")) return;
  context.history = std::make_unique<work::History>(":memory:");
  const auto written = from_yaml(file_.has("history") ? file_.text("history") : "[]", "history");
  if (!written) FAIL(written.error().message);
  const auto runs = shared_objects()->resolved(with_repeated(*written));
  if (!runs) FAIL(runs.error().message);
  if (const std::string fault = text_at(*runs, "/fault"); !fault.empty()) {
    context.history = std::make_unique<FailingHistory>(fault);
    return;
  }
  for (const Json& facts : *runs) {
    work::PastRun run = work::read_run_facts(facts);
    if (const Json* manifest = find(facts, "/manifest")) run.manifest = *manifest;
    const Status kept = context.history->keep(run, loop_.now());
    if (!kept) FAIL(kept.error().message);
  }
}

void GoldenCase::set_up_console() {
  console_.stdin_text = file_.text("stdin");
  if (!file_.has("tty")) return;
  console_.in_is_tty = console_.out_is_tty = console_.err_is_tty = console_.colour = true;
  console_.redraws = true;
}

// Lines such as "5s INT".
void GoldenCase::send_signals() {
  if (ends_after) loop_.raise_after(*ends_after, SIGINT);
  for (const std::string& line : split(file_.text("signal"), '\n')) {
    const auto words = split(line, ' ');
    if (words.size() != 2) continue;
    loop_.raise_after(*parse_duration(words[0]), words[1] == "INT"   ? SIGINT
                                                 : words[1] == "HUP" ? SIGHUP
                                                                     : SIGTERM);
  }
}

Environment GoldenCase::environment() const {
  std::map<std::string, std::string, std::less<>> variables = {
      {"HOME", std::string(k_home)},
      {"USER", "ada"},
      {"PWD", std::string(k_work)},
      {"TRAINCTL_LINEAGE_KEY", "key-of-ada"}};
  if (!scripts_the_check(file_)) {
    for (const std::string command : {"", "SUBMIT_", "RERUN_", "DEV_"}) {
      variables[cat("TRAINCTL_", command, "NO_CHECK")] = "true";
    }
  }
  for (const std::string& line : split(file_.text("env"), '\n')) {
    const Halves halves = split_once(line, '=');
    if (halves.found) variables[halves.first] = halves.second;
  }
  return Environment(std::move(variables));
}

// All connections lead to one server, but those to the host of another one in the case.
Result<std::unique_ptr<net::Transport>> GoldenCase::connect(const net::Endpoint& endpoint) {
  const auto url = net::parse_url(endpoint.base_url);
  const auto others = file_.below("server");
  const auto other = url ? others.find(url->host) : others.end();
  const bool is_other = other != others.end();
  std::shared_ptr<FakeTransport>& one = servers_[is_other ? other->first : ""];
  if (!one && is_other) {
    TRY_ASSIGN(script_, read_server(other->second, "server/" + other->first));
  }
  if (!one) one = std::make_shared<FakeTransport>(loop_, std::move(script_));
  return std::unique_ptr<net::Transport>(std::make_unique<Connection>(one));
}

Result<std::vector<Exchange>> GoldenCase::exchanges() const {
  std::vector<Exchange> all;
  if (file_.has("server")) {
    TRY_ASSIGN(all, read_server(file_.text("server"), "server"));
  }
  for (const std::string& world : split(file_.text("world"), '\n')) {
    if (world.empty()) continue;
    TRY_ASSIGN(std::vector<Exchange> more, read_world(world));
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  return all;
}

std::map<std::string, std::string> GoldenCase::written_files() const {
  std::map<std::string, std::string> found;
  for (const auto& [path, content] : file_.below("written")) {
    const auto file = files_.files.find("/" + path);
    if (file != files_.files.end()) found[path] = file->second;
  }
  return found;
}

}  // namespace trainctl::testing
