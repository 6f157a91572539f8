// The table of options, and look-ups in it.
#include "cli/options/rows.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "cli/options/job_flags.h"
#include "cli/options/setting.h"

namespace trainctl::cli {
namespace {

using enum Tree;
using enum Type;
using Text = std::string_view;

// Functions that set further properties of a row.
constexpr OptionRow stays(Staying staying, OptionRow row) {
  row.staying = staying;
  return row;
}
constexpr OptionRow placed(Place place, OptionRow row) {
  row.place = place;
  return row;
}
constexpr OptionRow yields(Text to, OptionRow row) {
  row.gives_way_to = to;
  return row;
}
constexpr OptionRow meant_by(Text flag, OptionRow row) {
  row.meant_by = flag;
  return row;
}
constexpr OptionRow off(Text value, OptionRow row) {
  row.off = value;
  return row;
}

constexpr OptionRow offers(Text words, OptionRow row) {
  row.offers = words;
  return row;
}

constexpr Staying asks = Staying::asks;
constexpr Staying needs = Staying::needs;

constexpr Text k_every = "*";
constexpr Text k_submits = "submit-KIND submit";
constexpr Text k_renders = "submit-KIND submit dev";
constexpr Text k_stays = "submit-KIND submit logs wait";
constexpr Text k_prints = "submit-KIND submit logs";

// clang-format off
constexpr std::array k_rows = {
    // name, commands, type, whether a working tree may set it
    placed(Place::within, yields("project", OptionRow{"namespace", k_every, text, never})),
    placed(Place::within, OptionRow{"project", k_renders, text, never}),
    placed(Place::embedded, OptionRow{"local", k_every, choice, never}),
    OptionRow{"local-gpus", k_every, count, never},
    OptionRow{"local-log-limit", k_every, count, never},
    placed(Place::cluster, OptionRow{"context", k_every, text, never}),
    placed(Place::cluster, OptionRow{"kubeconfig", k_every, path, never}),
    placed(Place::cluster, OptionRow{"cluster", k_every, text, never}),
    placed(Place::cluster, OptionRow{"user", k_every, text, never}),
    placed(Place::cluster, OptionRow{"server", k_every, text, never}),
    placed(Place::secret, OptionRow{"token", k_every, text, never}),
    placed(Place::cluster, yields("insecure-skip-tls-verify", OptionRow{"certificate-authority", k_every, path, never})),
    placed(Place::cluster, OptionRow{"client-certificate", k_every, path, never}),
    placed(Place::cluster, OptionRow{"client-key", k_every, path, never}),
    placed(Place::cluster, yields("certificate-authority", OptionRow{"insecure-skip-tls-verify", k_every, toggle, never})),
    placed(Place::cluster, OptionRow{"tls-server-name", k_every, text, never}),
    placed(Place::cluster, OptionRow{"as", k_every, text, never}),
    placed(Place::cluster, OptionRow{"as-uid", k_every, text, never}),
    placed(Place::cluster, OptionRow{"as-group", k_every, text, never}),
    OptionRow{"request-timeout", k_every, duration, freely},
    OptionRow{"tree-config", k_every, choice, never},
    OptionRow{"no-tree-config", k_every, toggle, never},
    OptionRow{"quiet", k_every, toggle, never},
    OptionRow{"verbose", k_every, choice, never},
    OptionRow{"no-color", k_every, toggle, freely},
    OptionRow{"ci", k_every, choice, never},
    OptionRow{"help", k_every, toggle, never},
    OptionRow{"help-all", k_every, toggle, never},

    OptionRow{"template", "submit-KIND", path, agreed},
    OptionRow{"overlay", k_submits, path, agreed},
    OptionRow{"set", k_submits, text, agreed},
    offers("/", OptionRow{"code", k_renders, path, never}),
    OptionRow{"code-include", k_renders, text, never},
    OptionRow{"code-image", k_renders, text, freely},
    OptionRow{"filename", "submit env convert", path, never},
    OptionRow{"api", "submit-KIND", choice, freely},
    yields("api", OptionRow{"runtime", "submit-KIND", text, agreed}),
    off("none", OptionRow{"dry-run", k_submits, choice, never}),
    OptionRow{"if-exists", k_submits, choice, never},
    stays(asks, yields("dry-run", OptionRow{"follow", k_submits, toggle, freely})),
    stays(asks, yields("dry-run", OptionRow{"wait", k_submits, toggle, freely})),
    stays(asks, OptionRow{"follow", "logs", toggle, freely}),
    OptionRow{"wait", "delete", toggle, never},
    OptionRow{"dry-run", "delete", toggle, never},
    OptionRow{"print-instead", k_submits, choice, never},

    meant_by("if-exists=replace", stays(needs, OptionRow{"timeout", k_stays, duration, freely})),
    OptionRow{"timeout", "delete resume", duration, never},
    stays(needs, OptionRow{"start-timeout", k_stays, duration, freely}),
    OptionRow{"start-timeout", "dev fetch", duration, freely},
    stays(needs, OptionRow{"fail-fast", k_stays, toggle, freely}),
    stays(needs, OptionRow{"require-all-replicas", k_stays, toggle, freely}),
    stays(needs, OptionRow{"events", k_stays, toggle, freely}),
    stays(needs, off("leave", OptionRow{"on-give-up", k_stays, choice, never})),
    stays(needs, off("leave", OptionRow{"on-timeout", k_stays, choice, never})),
    stays(needs, off("detach", OptionRow{"on-interrupt", k_stays, choice, never})),
    stays(needs, OptionRow{"result-file", k_stays, path, never}),
    stays(needs, OptionRow{"junit", k_stays, path, never}),
    stays(needs, offers("/", OptionRow{"save-logs", k_submits, path, never})),
    offers("/", OptionRow{"save-logs", "logs", path, never}),
    OptionRow{"for", "wait", choice, never},

    yields("role rank pod", OptionRow{"all", k_prints, toggle, freely}),
    OptionRow{"all", "delete", toggle, never},
    OptionRow{"all", "exec", toggle, never},
    OptionRow{"timestamps", k_prints, toggle, freely},
    OptionRow{"prefix", k_prints, choice, freely},
    OptionRow{"role", "logs", text, never},
    OptionRow{"rank", "logs exec attach port-forward cp", text, never},
    OptionRow{"pod", "logs", text, never},
    OptionRow{"container", "logs env exec attach port-forward cp", text, never},
    OptionRow{"address", "port-forward", text, never},
    OptionRow{"forward", "dev", text, never},
    OptionRow{"keep", "dev", toggle, never},
    OptionRow{"sync-back", "dev", choice, never},
    OptionRow{"no-verify", "cp fetch", toggle, never},
    OptionRow{"list", "fetch", toggle, never},
    OptionRow{"pvc", "fetch", text, never},
    OptionRow{"helper-pod", "fetch", toggle, never},
    OptionRow{"helper-image", "fetch", text, never},
    OptionRow{"stdin", "exec attach", toggle, never},
    OptionRow{"tty", "exec attach", toggle, never},
    OptionRow{"previous", "logs", toggle, never},
    yields("since-time", OptionRow{"since", "logs", duration, never}),
    yields("since", OptionRow{"since-time", "logs", time, never}),
    OptionRow{"tail", "logs", count, never},
    OptionRow{"insecure-skip-tls-verify-backend", "logs", toggle, never},

    offers("wide json yaml name manifest jsonpath= custom-columns=", OptionRow{"output", "get", text, never}),
    OptionRow{"output", "submit-KIND submit describe why events env convert logs wait whoami", choice, freely},
    OptionRow{"output", "runtimes", choice, freely},
    OptionRow{"output", "config", choice, never},
    OptionRow{"kind", "get describe why events env logs exec attach port-forward cp fetch wait delete suspend resume", kind, never},
    OptionRow{"all-namespaces", "get", toggle, freely},
    OptionRow{"selector", "get logs wait delete why", text, never},
    OptionRow{"status", "get", phase, never},
    OptionRow{"watch", "get events", toggle, freely},
    OptionRow{"no-headers", "get events runtimes", toggle, freely},
    OptionRow{"sort-by", "get", text, freely},
    OptionRow{"sort-by", "runtimes", choice, freely},

    OptionRow{"finished", "delete", toggle, never},
    OptionRow{"older-than", "delete", duration, never},
    OptionRow{"ignore-not-found", "delete", toggle, never},
    OptionRow{"yes", "delete local config", toggle, never},
    OptionRow{"force", "template", toggle, never},
    OptionRow{"runtime", "template", toggle, never},
    OptionRow{"listen", "local", text, never},
    OptionRow{"write", "local", path, never},
    OptionRow{"idle", "local", duration, never},
    OptionRow{"ready-fd", "local", count, never},
    OptionRow{"origin", "config", toggle, never},
    OptionRow{"client", "version", toggle, never},
};
// clang-format on

constexpr Text k_submit_prefix = "submit-";

bool has_option(const OptionRow& row, Text command) {
  if (is_global(row)) return true;
  const bool one_kind = command.empty() || command.starts_with(k_submit_prefix);
  return lists(row.commands, one_kind ? "submit-KIND" : command);
}

}  // namespace

std::string Setting::spelled() const {
  return section.empty() ? key : cat(section, '.', key);
}

bool reads_submit_keys(const std::string& command) {
  return command.starts_with(k_submit_prefix);
}

bool has_job_flags(std::string_view command) {
  return command.empty() || command == "submit" || command == "dev" ||
         command.starts_with(k_submit_prefix);
}

std::span<const OptionRow> option_rows() {
  return k_rows;
}

bool is_global(const OptionRow& row) {
  return row.commands == k_every;
}

bool lists(Text list, Text word) {
  const auto words = split(list, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<OptionRow> find_row(Text command, Text option) {
  const job::Flag* flag =
      has_job_flags(command) ? find_job_flag(std::string(option), nullptr).flag : nullptr;
  if (flag != nullptr) {
    return OptionRow{.name = flag->name,
                     .commands = k_renders,
                     .type = flag->value_name.empty() ? toggle : job_value,
                     .tree = flag->tree,
                     .gives_way_to = flag->gives_way_to,
                     .offers = flag->offers};
  }
  for (const OptionRow& row : k_rows) {
    if (row.name == option && has_option(row, command)) return row;
  }
  return std::nullopt;
}

}  // namespace trainctl::cli
