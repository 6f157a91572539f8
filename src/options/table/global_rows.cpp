// The options that every command has.
#include <array>

#include "options/table/choices.h"
#include "options/table/rows.h"

namespace trainctl::options {
namespace {

using enum Type;

// clang-format off
constexpr std::array k_global_rows = std::to_array<OptionRow>({
    {.name = "namespace", .letter = 'n', .commands = k_every_command, .type = text, .value = "NAMESPACE", .group = "General",
     .place = Place::within, .gives_way_to = "project", .help = "namespace to work in"},
    {.name = "local", .commands = k_every_command, .type = toggle, .group = "General",
     .place = Place::embedded, .help = "use the embedded cluster of this machine, starting it when needed"},
    {.name = "local-gpus", .commands = k_every_command, .type = count, .value = "N", .group = "Connection",
     .help = "GPUs of an embedded cluster that this command starts (default: those present)"},
    {.name = "local-log-limit", .commands = k_every_command, .type = count, .value = "MIB", .group = "Connection",
     .help = "MiB of logs that an embedded cluster started by this command keeps for each job (default 2048)"},
    {.name = "context", .commands = k_every_command, .type = text, .value = "NAME", .group = "General",
     .place = Place::cluster, .help = "context of the kubeconfig"},
    {.name = "kubeconfig", .commands = k_every_command, .type = path, .value = "FILE", .group = "General",
     .place = Place::cluster, .help = "kubeconfig to use instead of $KUBECONFIG"},
    {.name = "cluster", .commands = k_every_command, .type = text, .value = "NAME", .group = "Connection",
     .place = Place::cluster, .help = "cluster of the kubeconfig"},
    {.name = "user", .commands = k_every_command, .type = text, .value = "NAME", .group = "Connection",
     .place = Place::cluster, .help = "user of the kubeconfig"},
    {.name = "server", .letter = 's', .commands = k_every_command, .type = text, .value = "URL", .group = "Connection",
     .place = Place::cluster, .help = "address of the API server"},
    {.name = "token", .commands = k_every_command, .type = text, .value = "TOKEN", .group = "Connection",
     .place = Place::secret, .help = "bearer token"},
    {.name = "certificate-authority", .commands = k_every_command, .type = path, .value = "FILE", .group = "Connection",
     .place = Place::cluster, .gives_way_to = "insecure-skip-tls-verify",
     .help = "CA of the API server"},
    {.name = "client-certificate", .commands = k_every_command, .type = path, .value = "FILE", .group = "Connection",
     .place = Place::cluster, .help = "TLS client certificate"},
    {.name = "client-key", .commands = k_every_command, .type = path, .value = "FILE", .group = "Connection",
     .place = Place::cluster, .help = "key of the client certificate"},
    {.name = "insecure-skip-tls-verify", .commands = k_every_command, .type = toggle, .group = "Connection",
     .place = Place::cluster, .gives_way_to = "certificate-authority",
     .help = "do not check the server's certificate"},
    {.name = "tls-server-name", .commands = k_every_command, .type = text, .value = "NAME", .group = "Connection",
     .place = Place::cluster, .help = "name in the server's certificate"},
    {.name = "as", .commands = k_every_command, .type = text, .value = "USER", .group = "Connection",
     .place = Place::cluster, .help = "act as this user"},
    {.name = "as-uid", .commands = k_every_command, .type = text, .value = "UID", .group = "Connection",
     .place = Place::cluster, .help = "act with this UID"},
    {.name = "as-group", .commands = k_every_command, .type = text, .value = "GROUP", .group = "Connection",
     .place = Place::cluster, .help = "act as a member of this group; repeatable"},
    {.name = "request-timeout", .commands = k_every_command, .type = duration, .value = "DURATION", .group = "Connection",
     .help = "give up on one request after this long; 0 = never"},
    {.name = "tree-config", .commands = k_every_command, .type = choice, .words = k_tree_configs, .group = "General",
     .help = "trusted: read the working tree's .trainctl.yaml without your consent; off: ignore it"},
    {.name = "quiet", .letter = 'q', .commands = k_every_command, .type = toggle, .group = "General",
     .help = "no notices on stderr"},
    {.name = "verbose", .commands = k_every_command, .type = choice, .words = k_levels, .value = "[=N]", .bare = "1",
     .group = "General", .help = "show every request on stderr"},
    {.name = "no-color", .commands = k_every_command, .type = toggle, .group = "General",
     .help = "no colour on a terminal"},
    {.name = "ci", .commands = k_every_command, .type = choice, .words = k_ci_systems, .group = "General",
     .help = "fold, annotate and summarise the output for this CI system (default auto)"},
    {.name = "help", .letter = 'h', .commands = k_every_command, .type = toggle, .group = "General",
     .help = "this help"},
    {.name = "help-all", .commands = k_every_command, .type = toggle, .group = "General",
     .help = "this help with every flag"},
});
// clang-format on

}  // namespace

std::span<const OptionRow> global_rows() {
  return k_global_rows;
}

}  // namespace trainctl::options
