// Reports, limits and talk that only come while a job is followed or waited for.
#include "cli/options/staying.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace trainctl::cli {
namespace {

constexpr std::array<std::string_view, 8> k_idle_alone = {
    "result-file", "junit",      "save-logs",  "fail-fast",
    "events",      "on-give-up", "on-timeout", "on-interrupt"};

// What asks for nothing.
constexpr std::array<std::string_view, 3> k_off = {"false", "leave", "detach"};

bool has_flag(const CLI::App& app, std::string_view name) {
  return app.get_option_no_throw(cat("--", name)) != nullptr;
}

bool needs_staying(const CLI::App& app, std::string_view flag) {
  if (flag == "save-logs" && !has_flag(app, "wait")) return false;  // `logs` saves what there is
  return std::find(k_idle_alone.begin(), k_idle_alone.end(), flag) != k_idle_alone.end();
}

bool asks_to_stay(std::string_view flag, std::string_view value) {
  return (flag == "follow" || flag == "wait") && value != "false";
}

Halves parts_of(const std::string& word) {
  return split_once(std::string_view(word).substr(2), '=');
}

bool stays(const CLI::App& app, const std::vector<std::string>& typed,
           const std::vector<Setting>& defaults) {
  if (!has_flag(app, "follow")) return true;
  const auto asks = [](const std::string& word) {
    const Halves parts = parts_of(word);
    return asks_to_stay(parts.first, parts.second);
  };
  const auto configured = [](const Setting& setting) {
    return asks_to_stay(setting.key, setting.values.empty() ? "" : setting.values.front());
  };
  return std::any_of(typed.begin(), typed.end(), asks) ||
         std::any_of(defaults.begin(), defaults.end(), configured);
}

}  // namespace

Status check_staying(const CLI::App& app, const std::vector<std::string>& typed,
                     const std::vector<Setting>& defaults) {
  if (stays(app, typed, defaults)) return {};
  const auto idle = std::find_if(typed.begin(), typed.end(), [&app](const std::string& word) {
    const Halves parts = parts_of(word);
    const bool off = std::find(k_off.begin(), k_off.end(), parts.second) != k_off.end();
    return !off && needs_staying(app, parts.first);
  });
  if (idle == typed.end()) return {};
  const bool can_wait = has_flag(app, "wait");
  return Error{Code::usage,
               cat("--", parts_of(*idle).first, " needs ", can_wait ? "--follow or --wait" : "-f",
                   ": without, nobody stays for the job's verdict"),
               can_wait ? "add --wait, or --follow for the logs" : "add -f"};
}

void drop_idle(const CLI::App& app, const std::vector<std::string>& typed,
               std::vector<Setting>& defaults) {
  if (stays(app, typed, defaults)) return;
  std::erase_if(defaults,
                [&app](const Setting& setting) { return needs_staying(app, setting.key); });
}

}  // namespace trainctl::cli
