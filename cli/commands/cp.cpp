// `trainctl cp`: copies files and directories between this machine and a replica.
#include <filesystem>
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "transfer/copy.h"
#include "transfer/local_entries.h"

namespace trainctl::cli {
namespace {

struct CpOptions {
  TargetFlags which;
  std::vector<std::string> paths;
  bool no_verify = false;
};

struct CopyEnd {
  std::string job;  // "" = this machine
  std::string path;
};

// JOB[/REPLICA]:PATH, where the replica may be written rank:3. A local path with a colon is written
// with a "./" in front.
CopyEnd parse_end(const std::string& text) {
  const bool local = text.starts_with('/') || text.starts_with('.');
  std::size_t colon = text.find(':');
  if (local || colon == std::string::npos || colon == 0) return {"", text};
  if (text.substr(0, colon).ends_with("/rank")) colon = text.find(':', colon + 1);
  if (colon == std::string::npos) return {"", text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// Nothing is asked of the cluster for a copy that cannot begin or end here.
Status check_here(const Context& context, const work::CopyOrder& order, bool downwards) {
  const std::string path = resolve_path(context.working_directory(), order.local);
  if (!downwards) {
    TRY(work::local_entry(path, order.local));
    return {};
  }
  std::error_code trouble;
  if (std::filesystem::is_directory(path, trouble)) return {};
  if (std::filesystem::is_directory(std::filesystem::path(path).parent_path(), trouble)) return {};
  return Error{Code::usage,
               cat("there is no directory ",
                   printable_line(std::filesystem::path(order.local).parent_path().string())),
               "create the directory first, or choose another"};
}

Status run_cp(CpOptions options, Context& context) {
  const CopyEnd from = parse_end(options.paths[0]);
  const CopyEnd to = parse_end(options.paths[1]);
  if (from.job.empty() == to.job.empty()) {
    return Error{Code::usage,
                 from.job.empty() ? "neither path is in a replica" : "both paths are in replicas",
                 "trainctl cp JOB:/path DIR copies from a replica, trainctl cp FILE JOB:/path "
                 "copies to one"};
  }
  const bool downwards = to.job.empty();
  const work::CopyOrder order{downwards ? from.path : to.path, downwards ? to.path : from.path,
                              !options.no_verify};
  if (order.remote.empty() || order.local.empty()) {
    return Error{Code::usage, "a path is empty",
                 "JOB:. is the directory that the program started in"};
  }
  TRY(check_here(context, order, downwards));
  options.which.jobs = {downwards ? from.job : to.job};
  TRY_ASSIGN(const work::TargetQuery query, options.which.query());
  TRY_ASSIGN(work::Target target, work::find_target(context, query));
  TRY_ASSIGN(kube::Client * client, context.client());
  work::Shell shell{context, *client, std::move(target)};
  shell.heed_signals();
  return downwards ? work::copy_from(shell, order) : work::copy_to(shell, order);
}

}  // namespace

Runner define_cp(const Definition& definition) {
  auto options = std::make_shared<CpOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "FROM TO", options->paths, 2, 2,
                  "one of them JOB[/REPLICA]:PATH, the other a path of this machine");
  add_target_flags(bind, options->which);
  bind("no-verify", options->no_verify);
  return [options](Context& context) { return run_cp(*options, context); };
}

}  // namespace trainctl::cli
