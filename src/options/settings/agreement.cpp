// Stores contents unchanged and compares them as a whole, so that no other content can match.
#include "options/settings/agreement.h"

#include <algorithm>
#include <optional>

#include "base/environment.h"
#include "base/file/own_file.h"
#include "base/text/text.h"
#include "base/value/json.h"

namespace trainctl::options {
namespace {

constexpr std::size_t k_most_kept = 50;

std::string agreements_path(const ConfigSources& sources) {
  const std::string state = state_directory(sources.environment);
  return state.empty() ? "" : state + "/agreed.json";
}

// Returns the working tree's directory, its file and all files it names, keyed by name. The
// directory is part of the content, because a setting may refer to what lies beside the file, as in
// PYTHONPATH=src.
Result<Json> content_of(const ConfigSources& sources, const std::vector<Setting>& settings,
                        const std::string& tree_path) {
  const std::string directory = directory_of(tree_path);
  Json content = {{"/", directory}};
  const auto add = [&](const std::string& path) -> Status {
    auto text = sources.files.read(path);
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

std::vector<Json> agreements(const ConfigSources& sources) {
  const std::string path = agreements_path(sources);
  const auto text = read_own_file(sources.files, path);
  if (!text) return {};
  const auto list = parse_json(*text, path);
  if (!list || !list->is_array()) return {};
  return {list->begin(), list->end()};
}

// The order of files does not matter.
bool equal_content(const Json& one, const Json& other) {
  return nlohmann::json(one) == nlohmann::json(other);
}

bool is_agreed(const ConfigSources& sources, const Json& content) {
  const auto all = agreements(sources);
  return std::ranges::any_of(all,
                             [&content](const Json& each) { return equal_content(each, content); });
}

bool runs_programs(const Setting& setting) {
  const Tree tree = setting.facts.row.tree;
  return tree == Tree::agreed_here || tree == Tree::with_value;
}

Error not_agreed(const Setting& setting) {
  const std::string_view what = runs_programs(setting) ? " decides what runs as you on this machine"
                                                       : " may widen what the job's pods may do";
  return {Code::usage,
          cat(setting.origin, ": ", setting.spelled(), what, ", and you have not consented to it"),
          "read the file, then: trainctl config trust\n"
          "--no-tree-config ignores the file; --tree-config=trusted trusts it unread"};
}

}  // namespace

bool may_need_agreement(const Setting& setting) {
  const bool asks = setting.facts.row.tree == Tree::agreed || runs_programs(setting);
  return asks && setting.source == Source::working_tree;
}

Status check_agreed(const ConfigSources& sources, const std::vector<Setting>& settings,
                    const std::vector<Setting>& defaults, const std::function<bool()>& runs_here) {
  std::optional<bool> here;
  const auto wish = std::ranges::find_if(defaults, [&](const Setting& setting) {
    if (!may_need_agreement(setting)) return false;
    if (!runs_programs(setting)) return true;
    if (!here) here = runs_here();
    return *here;
  });
  if (wish == defaults.end()) return {};
  if (tree_config(sources.tree_config, settings) == TreeConfig::trusted) return {};
  TRY_ASSIGN(const Json content, content_of(sources, settings, sources.tree.path));
  if (is_agreed(sources, content)) return {};
  return not_agreed(*wish);
}

Status check_agreeable(const TreeFile& tree) {
  if (tree.exists && tree.refused.empty()) return {};
  return Error{Code::usage,
               tree.exists ? cat(tree.path, " cannot be trusted: ", tree.refused)
                           : "there is no .trainctl.yaml to trust",
               "trainctl config path lists the places of such files"};
}

Result<std::string> agree(const ConfigSources& sources, const std::vector<Setting>& settings) {
  const TreeFile& tree = sources.tree;
  TRY(check_agreeable(tree));
  const std::string path = agreements_path(sources);
  if (path.empty()) {
    return Error{Code::usage, "cannot record your consent: HOME is not an absolute path",
                 "set HOME or XDG_STATE_HOME to an absolute path"};
  }
  TRY_ASSIGN(const Json content, content_of(sources, settings, tree.path));
  auto all = agreements(sources);
  std::erase_if(all, [&content](const Json& each) { return equal_content(each, content); });
  all.push_back(content);
  if (all.size() > k_most_kept) all.erase(all.begin());
  Json list = Json::array();
  for (Json& each : all) list.push_back(std::move(each));
  TRY(sources.files.write_private(path, dump(list) + '\n'));
  return tree.path;
}

}  // namespace trainctl::options
