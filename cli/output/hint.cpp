// The flags that choose where a command works, put into the commands that a user is told.
#include "cli/output/hint.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "cli/command.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_program = "trainctl ";

std::string place_flags(const Context& context) {
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
  add("-n", flags.ns);
  return words;
}

// Not `get -A`: it is about every namespace.
bool works_in_a_place(std::string_view command, std::string_view rest) {
  if (rest.starts_with(" -A")) return false;
  const auto found = find_command(std::string(command));
  return found && (found->group == k_group_look || found->name == "delete");
}

}  // namespace

std::string with_place(const std::string& text, const Context& context) {
  const std::string flags = place_flags(context);
  if (flags.empty()) return text;
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
    if (works_in_a_place(command, rest)) done += flags;
  }
}

}  // namespace trainctl::cli
