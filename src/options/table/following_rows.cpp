// The options of commands that stay with a job until its verdict.
#include <array>

#include "options/table/choices.h"
#include "options/table/rows.h"

namespace trainctl::options {
namespace {

using enum Type;
using Text = std::string_view;

constexpr NeedsFollow yes = NeedsFollow::yes;

constexpr Text k_stays = "submit-KIND submit rerun logs wait";

// clang-format off
constexpr std::array k_following_rows = std::to_array<OptionRow>({
    {.name = "max-parallel", .commands = k_submits, .type = count, .value = "N", .group = "Following",
     .needs_follow = yes,
     .help = "with --array: create the next job only when fewer than N are unfinished"},
    {.name = "follow", .commands = k_submits, .type = toggle, .group = "Following", .follows = true,
     .gives_way_to = "dry-run", .help = "print the logs and exit with the job's verdict"},
    {.name = "wait", .commands = k_submits, .type = toggle, .group = "Following", .follows = true,
     .gives_way_to = "dry-run", .help = "wait and exit with the job's verdict, without logs"},
    {.name = "follow", .letter = 'f', .commands = "logs", .type = toggle, .group = "Following",
     .follows = true, .help = "keep printing until the job's verdict"},
    {.name = "timeout", .commands = k_stays, .type = duration, .value = "DURATION", .group = "Following",
     .needs_follow = NeedsFollow::unless_replacing,
     .help = "give up after this long, exit 7 (default: never)"},
    {.name = "start-timeout", .commands = k_stays, .type = duration, .value = "DURATION", .group = "Following",
     .needs_follow = yes,
     .help = "exit 9 when a job cannot start (image, config, no node) for this long (default 5m)"},
    {.name = "fail-fast", .commands = k_stays, .type = toggle, .group = "Following",
     .needs_follow = yes, .help = "exit 3 when a replica has failed for good, even while the job runs"},
    {.name = "require-all-replicas", .commands = k_stays, .type = toggle, .group = "Following",
     .needs_follow = yes, .help = "exit 3 when any replica failed"},
    {.name = "events", .commands = k_stays, .type = toggle, .group = "Following", .needs_follow = yes,
     .help = "print events of the job and its pods on stderr"},
    {.name = "on-give-up", .commands = k_stays, .type = choice, .words = k_on_give_up, .group = "Following",
     .needs_follow = yes, .off = "leave",
     .help = "what to do with an unfinished job when giving up: --timeout, a failed start, "
             "--fail-fast, a crash loop, lost contact (default leave)"},
    {.name = "on-timeout", .commands = k_stays, .type = choice, .words = k_on_give_up, .group = "Following",
     .needs_follow = yes, .off = "leave", .help = "older name of --on-give-up"},
    {.name = "on-interrupt", .commands = k_stays, .type = choice, .words = k_on_interrupt, .group = "Following",
     .needs_follow = yes, .off = "detach",
     .help = "what to do on Ctrl-C, SIGTERM, a closed terminal or a lost stdout: cancel deletes the job (default "
             "detach)"},
    {.name = "retry", .commands = k_submits, .type = count, .value = "N", .group = "Following",
     .needs_follow = yes,
     .help = "when the job has failed, submit it again under a new name, up to N times; TRAINCTL_ATTEMPT is the attempt's number"},
    {.name = "retry-on", .commands = k_submits, .type = text, .value = "CAUSES", .group = "Following",
     .needs_follow = yes,
     .help = "with --retry: only after these causes: any, node-lost, evicted, oom, cuda-oom, nccl, exit=CODE (default any)"},
    {.name = "avoid-bad-nodes", .commands = k_submits, .type = toggle, .group = "Following",
     .needs_follow = yes, .help = "with --retry: keep further attempts off the nodes where one failed"},
    {.name = "result-file", .commands = k_stays, .type = path, .value = "FILE", .group = "Following",
     .needs_follow = yes, .help = "write the final report with the verdict to this file, as JSON"},
    {.name = "junit", .commands = k_stays, .type = path, .value = "FILE", .group = "Following",
     .needs_follow = yes, .help = "write the verdict to this file as a JUnit test result"},
    {.name = "notify", .commands = k_stays, .type = text, .value = "CMD|URL", .group = "Following",
     .needs_follow = yes, .help = "tell this program or web hook the verdict, with the report as JSON"},
    {.name = "no-history", .commands = k_stays, .type = toggle, .group = "Following",
     .help = "do not record the run for trainctl history"},
    {.name = "history-values", .commands = k_submits, .type = toggle, .group = "Following",
     .help = "let the history keep all values of variables and arguments but credentials"},
    {.name = "save-logs", .commands = k_submits, .type = path, .value = "DIR", .group = "Output",
     .needs_follow = yes, .offers = "/",
     .help = "write the logs of all replicas to this directory, one file per replica and attempt"},
    {.name = "for", .commands = "wait", .type = choice, .words = k_waits, .group = "Following",
     .help = "what to wait for (default: the verdict, success or failure)"},
});
// clang-format on

}  // namespace

std::span<const OptionRow> following_rows() {
  return k_following_rows;
}

}  // namespace trainctl::options
