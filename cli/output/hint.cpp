// Inserts the flags that choose cluster and namespace into the commands that a hint names.
#include "cli/output/hint.h"

#include <algorithm>
#include <string_view>

#include "base/text/text.h"
#include "cli/command.h"
#include "status/hints.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_program_word = "trainctl ";

constexpr std::string_view k_no_kubectl_here =
    "; kubectl does not reach the embedded cluster: docs/embedded-cluster.md says what does";

// `get -A` covers every namespace, and a help text no cluster, so they need no such flags.
std::string cluster_flags_for(const Context& context, std::string_view command,
                              std::string_view rest) {
  const Command* found = context.commands.find(command);
  if (found == nullptr || found->effect == options::Effect::own || rest.starts_with(" --help"))
    return "";
  return rest.starts_with(" -A") ? context.cluster_flags.cluster
                                 : context.cluster_flags.cluster + context.cluster_flags.ns;
}

// kubectl would act on another cluster, where it is installed at all.
std::string_view without_kubectl(const std::string& text, const Context& context) {
  const bool names_it = context.embedded && text.find("kubectl ") != std::string::npos;
  const bool is_said = text.find(k_no_kubectl_here) != std::string::npos;
  return names_it && !is_said ? k_no_kubectl_here : "";
}

// Says `wait` instead of `logs -f`, whose lines without end an agent would have to read.
std::string waiting_instead(std::string text) {
  constexpr std::string_view k_following = "trainctl logs -f ";
  constexpr std::string_view k_waiting = "trainctl wait ";
  for (std::size_t at = 0; (at = text.find(k_following, at)) != std::string::npos;) {
    text.replace(at, k_following.size(), k_waiting);
    at += k_waiting.size();
    const std::size_t end = std::min(text.find_first_of(" ;,\n", at), text.size());
    const std::size_t replica = text.find('/', at);
    if (replica < end) text.erase(replica, end - replica);
  }
  return text;
}

}  // namespace

std::string with_cluster_flags(const std::string& advice, const Context& context) {
  const std::string text = is_for_agent(context.environment) ? waiting_instead(advice) : advice;
  if (const std::size_t at = text.find(job::k_too_large_hint);
      context.embedded && at != std::string::npos) {
    std::string here = text;
    return with_cluster_flags(
        here.replace(at, job::k_too_large_hint.size(), job::k_too_few_gpus_here), context);
  }
  std::string done;
  std::string_view rest = text;
  for (;;) {
    const std::size_t at = rest.find(k_program_word);
    if (at == std::string_view::npos) return cat(done, rest, without_kubectl(text, context));
    const std::size_t begin = at + k_program_word.size();
    const std::size_t end =
        std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", begin), rest.size());
    done += rest.substr(0, end);
    const std::string_view command = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    const std::string flags = cluster_flags_for(context, command, rest);
    // A flag that the line already has is not repeated.
    done += rest.starts_with(flags) ? "" : flags;
  }
}

view::Viewer viewer_of(const Context& context) {
  return {context.console, context.loop.now(), context.embedded != nullptr,
          [&context](const std::string& hint) { return with_cluster_flags(hint, context); }};
}

}  // namespace trainctl::cli
