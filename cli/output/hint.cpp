// The flags that choose where a command works, put into the commands that a hint names.
#include "cli/output/hint.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "cli/command.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_program = "trainctl ";

enum class Place { none, cluster, cluster_and_namespace };

std::string place_flags(const Context& context, Place place) {
  if (place == Place::none) return "";
  const kube::ConnectionFlags& flags = context.connection_flags;
  std::string words = context.local.chosen ? " --local" : "";
  const auto add = [&words](std::string_view flag, const std::string& value) {
    if (!value.empty()) words += cat(' ', flag, ' ', shell_quoted(value));
  };
  add("--kubeconfig", flags.kubeconfig);
  add("--context", flags.context);
  add("--cluster", flags.cluster);
  add("--user", flags.user);
  add("--server", flags.server);
  add("--as", flags.as_user);
  if (place == Place::cluster_and_namespace) add("-n", flags.ns);
  return words;
}

// `get -A` is about every namespace, and a help text about no cluster.
Place place_of(std::string_view command, std::string_view rest) {
  const auto found = find_command(std::string(command));
  if (!found || rest.starts_with(" --help")) return Place::none;
  const bool is_placed = found->group == k_group_look || found->name == "delete" ||
                         found->name == "whoami" || command.starts_with("submit");
  if (!is_placed) return Place::none;
  return rest.starts_with(" -A") ? Place::cluster : Place::cluster_and_namespace;
}

}  // namespace

std::string with_place(const std::string& text, const Context& context) {
  std::string done;
  std::string_view rest = text;
  for (;;) {
    const std::size_t at = rest.find(k_program);
    if (at == std::string_view::npos) return cat(done, rest);
    const std::size_t begin = at + k_program.size();
    const std::size_t end =
        std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", begin), rest.size());
    done += rest.substr(0, end);
    const std::string_view command = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    const std::string flags = place_flags(context, place_of(command, rest));
    // A flag that the line has already is not said twice.
    done += rest.starts_with(flags) ? "" : flags;
  }
}

}  // namespace trainctl::cli
