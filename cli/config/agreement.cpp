// Stores contents unchanged and compares them as a whole, so that no other content can match.
#include "cli/config/agreement.h"

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/config/proxy.h"

namespace trainctl::cli {
namespace {

constexpr std::size_t k_most_kept = 50;

std::string agreements_path(const Context& context) {
  const std::string state = context.environment.text("XDG_STATE_HOME");
  if (!state.empty()) return state + "/trainctl/agreed.json";
  const std::string home = context.environment.text("HOME");
  return home.empty() ? "" : home + "/.local/state/trainctl/agreed.json";
}

// Returns the working tree's directory, its file and all files it names, keyed by name. The
// directory is part of the content, because a setting may refer to what lies beside the file, as in
// PYTHONPATH=src.
Result<Json> content_of(const Context& context, const std::vector<Setting>& settings,
                        const std::string& tree_path) {
  const std::string directory = directory_of(tree_path);
  Json content = {{"/", directory}};
  const auto add = [&](const std::string& path) -> Status {
    auto text = context.files.read(path);
    if (!text) return Error{Code::usage, text.error().message, text.error().hint};
    content[path.substr(std::min(directory.size() + 1, path.size()))] = *std::move(text);
    return {};
  };
  TRY(add(tree_path));
  for (const Setting& setting : settings) {
    const bool names_files =
        setting.source == Source::working_tree && setting.facts.row.type == Type::path;
    if (!names_files) continue;
    for (const std::string& path : setting.values) TRY(add(path));
  }
  return content;
}

std::vector<Json> agreements(const Context& context) {
  const std::string path = agreements_path(context);
  const auto facts = context.files.facts(path);
  if (!facts || !facts->is_ours || !facts->is_regular || facts->others_write) return {};
  const auto text = context.files.read(path);
  if (!text) return {};
  const auto list = parse_json(*text, path);
  if (!list || !list->is_array()) return {};
  return {list->begin(), list->end()};
}

// The order of files does not matter.
bool equal_content(const Json& one, const Json& other) {
  return nlohmann::json(one) == nlohmann::json(other);
}

bool is_agreed(const Context& context, const Json& content) {
  const auto all = agreements(context);
  return std::ranges::any_of(all,
                             [&content](const Json& each) { return equal_content(each, content); });
}

// True for every name that leads to the loopback without asking a server: the resolver knows
// "localhost." and the names below localhost. The machine's own name is none of them, because the
// embedded cluster listens on 127.0.0.1 alone and its certificate is for no other name.
bool leads_to_loopback(std::string host) {
  while (host.ends_with('.')) host.pop_back();
  return lower(host).ends_with(".localhost") || kube::is_loopback(host);
}

// True when jobs may run as processes of this user: with --local, and with the kubeconfig of its
// port, which like every server on the loopback counts as the embedded cluster.
bool runs_here(const Context& context) {
  if (context.embedded) return true;
  const auto connection = context.connection();
  return connection && leads_to_loopback(kube::server_host(*connection));
}

bool runs_programs(const Setting& setting) {
  const Tree tree = setting.facts.row.tree;
  return tree == Tree::agreed_here || tree == Tree::with_value;
}

Error not_agreed(const Setting& setting) {
  const std::string_view what = runs_programs(setting) ? " decides what runs as you on this machine"
                                                       : " may widen what the job's pods may do";
  return {Code::usage,
          cat(setting.origin, ": ", setting.spelled(), what, ", and you have not agreed to it"),
          "read the file, then: trainctl config trust\n"
          "--no-tree-config works without the file, --tree-config=trusted agrees unseen"};
}

}  // namespace

bool may_need_agreement(const Setting& setting) {
  const bool asks = setting.facts.row.tree == Tree::agreed || runs_programs(setting);
  return asks && setting.source == Source::working_tree;
}

Status check_agreed(const Context& context, const std::vector<Setting>& settings,
                    const std::vector<Setting>& defaults) {
  std::optional<bool> here;
  const auto wish = std::ranges::find_if(defaults, [&](const Setting& setting) {
    if (!may_need_agreement(setting)) return false;
    if (!runs_programs(setting)) return true;
    if (!here) here = runs_here(context);
    return *here;
  });
  if (wish == defaults.end()) return {};
  if (tree_config(context, settings) == TreeConfig::trusted) return {};
  TRY_ASSIGN(const Json content, content_of(context, settings, find_tree_file(context).path));
  if (is_agreed(context, content)) return {};
  return not_agreed(*wish);
}

Status check_agreeable(const TreeFile& tree) {
  if (tree.exists && tree.refused.empty()) return {};
  return Error{Code::usage,
               tree.exists ? cat(tree.path, " cannot be agreed to: ", tree.refused)
                           : "there is no .trainctl.yaml to agree to",
               "trainctl config path shows where it is looked for"};
}

Result<std::string> agree(const Context& context, const std::vector<Setting>& settings) {
  const TreeFile& tree = find_tree_file(context);
  TRY(check_agreeable(tree));
  const std::string path = agreements_path(context);
  if (path.empty()) {
    return Error{Code::usage, "there is no place to remember it: HOME is not set",
                 "set HOME, or XDG_STATE_HOME"};
  }
  TRY_ASSIGN(const Json content, content_of(context, settings, tree.path));
  auto all = agreements(context);
  std::erase_if(all, [&content](const Json& each) { return equal_content(each, content); });
  all.push_back(content);
  if (all.size() > k_most_kept) all.erase(all.begin());
  Json list = Json::array();
  for (Json& each : all) list.push_back(std::move(each));
  TRY(context.files.write_private(path, dump(list) + '\n'));
  return tree.path;
}

}  // namespace trainctl::cli
