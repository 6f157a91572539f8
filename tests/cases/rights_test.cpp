// A Role that grants what no request needs would be refused by an administrator. What the golden
// cases of a command ask of the server is what the command needs.
#include "work/rights/rights.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cases/golden_case.h"
#include "cases/worlds.h"
#include "kube/client/resource.h"
#include "manifest/kind/kind.h"

namespace trainctl::testing {
namespace rights_test {

using work::Use;

// The cases that show a use: those in the folders of its commands, of lines with `flag` if there is
// one.
struct Showing {
  Use use;
  std::vector<std::string_view> commands;
  std::string_view flag = "";
};

// Ports are forwarded in end-to-end tests only: golden cases have no sockets.
const Showing k_showings[] = {
    {Use::submit, {"submit", "rerun"}},
    {Use::follow, {"logs", "wait", "get", "describe", "events", "why", "report"}},
    {Use::cancel, {"delete"}},
    {Use::change, {"suspend", "resume", "stop", "scale"}},
    {Use::exec, {"exec", "doctor"}},
    {Use::attach, {"attach"}},
    {Use::fetch, {"fetch"}},
    {Use::code, {"submit"}, "--code"},
    {Use::claims, {"submit"}, "--pvc-new"},
    {Use::check, {"check"}},
    {Use::usage, {"top"}},
};

// A submit that follows needs the rights to follow as well.
constexpr std::string_view k_following[] = {"--follow", "--wait", "--logs", "--timeout", " -f "};

bool shows(const Showing& showing, const std::string& name, const std::string& line) {
  const std::string command = name.substr(0, name.find('/'));
  if (std::ranges::find(showing.commands, command) == showing.commands.end()) return false;
  if (line.find(showing.flag) == std::string::npos) return false;
  return showing.use != Use::submit || std::ranges::none_of(k_following, [&](std::string_view f) {
           return line.find(f) != std::string::npos;
         });
}

// As in a Role, but the kinds of jobs are one.
std::string resource_of(std::string_view group, std::string_view resource) {
  const bool is_job = std::ranges::any_of(job::kinds(), [&](const job::Kind& kind) {
    return kind.resource.group == group && kind.resource.plural == resource;
  });
  return is_job ? "jobs" : cat(group, group.empty() ? "" : "/", resource);
}

std::vector<std::string> verbs_of(const Exchange& exchange, const kube::PathParts& parts) {
  if (exchange.method == "POST") return {"create"};
  if (exchange.method == "PATCH" || exchange.method == "PUT") return {"patch"};
  if (exchange.method == "DELETE") return {"delete"};
  for (const auto& [name, value] : exchange.query) {
    if (name == "watch") return {"watch"};
  }
  if (parts.name.empty()) return {"list"};
  // Kubernetes from 1.35 on wants the right to create for a session, although it begins with GET.
  const bool is_session = !exchange.socket.protocol.empty();
  return is_session ? std::vector<std::string>{"get", "create"} : std::vector<std::string>{"get"};
}

void add_rights(const Exchange& exchange, std::set<std::string>& asked) {
  const auto parts = kube::parse_resource_path(exchange.path);
  if (!parts) return;
  std::string resource = parts->plural;
  if (!parts->subresource.empty()) resource += cat('/', parts->subresource);
  for (const std::string& verb : verbs_of(exchange, *parts)) {
    asked.insert(cat(verb, ' ', resource_of(parts->group, resource)));
  }
}

std::set<std::string> asked_in_cases(const Showing& showing) {
  std::set<std::string> asked;
  for (const std::string& name : case_names()) {
    const CaseFile file = read_case(name);
    if (!shows(showing, name, file.text("cmd"))) continue;
    std::vector<Exchange> exchanges;
    if (file.has("server")) exchanges = *read_server(file.text("server"), name);
    for (const std::string& world : split(file.text("world"), '\n')) {
      if (world.empty()) continue;
      const std::vector<Exchange> shared = *read_world(world);
      exchanges.insert(exchanges.end(), shared.begin(), shared.end());
    }
    for (const Exchange& exchange : exchanges) add_rights(exchange, asked);
  }
  return asked;
}

std::set<std::string> granted_for(Use use) {
  std::set<std::string> granted;
  for (const Json& role : work::roles_for({&use, 1}, "trainctl", "ml")) {
    for (const Json& rule : role["rules"]) {
      for (const std::string resource : rule["resources"]) {
        for (const std::string verb : rule["verbs"]) {
          const std::string group = rule["apiGroups"][0];
          granted.insert(cat(verb, ' ', resource_of(group, resource)));
        }
      }
    }
  }
  return granted;
}

TEST_CASE("a Role grants nothing that no request of its commands needs") {
  for (const Showing& showing : k_showings) {
    const std::set<std::string> asked = asked_in_cases(showing);
    for (const std::string& right : granted_for(showing.use)) {
      CHECK_MESSAGE(asked.contains(right),
                    cat("no case of ", showing.commands.front(), " needs: ", right));
    }
  }
}

}  // namespace rights_test
}  // namespace trainctl::testing
