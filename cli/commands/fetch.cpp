// `trainctl fetch`: copies results from the volumes of a job, also after its pods are gone.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <unistd.h>

#include "base/text/table.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "kube/object/metadata.h"
#include "manifest/kind/names.h"
#include "transfer/copy.h"
#include "transfer/fetching.h"
#include "transfer/helper.h"
#include "transfer/job_results.h"
#include "work/find/worker_cluster.h"

namespace trainctl::cli {
namespace {

struct FetchOptions {
  TargetFlags which;
  std::vector<std::string> words;
  std::string claim, image;
  std::optional<Duration> patience = options::k_start_timeout;
  bool list = false, helper = false, no_verify = false;
};

// The files to fetch, after every check that needs no cluster.
struct Order {
  std::string job, path;  // "" = not named
  std::string claim;      // "" = the job's
  std::string directory;  // "" = nothing is copied
  std::string listing;    // the command that lists it
};

constexpr std::string_view k_claim_at = "/claim";

// JOB[/REPLICA][:PATH], where the replica may be written rank:3.
Halves job_and_path(const std::string& text) {
  std::size_t colon = text.find(':');
  if (colon != std::string::npos && text.substr(0, colon).ends_with("/rank")) {
    colon = text.find(':', colon + 1);
  }
  if (colon == std::string::npos) return {text, "", false};
  return {text.substr(0, colon), text.substr(colon + 1), true};
}

Result<std::string> checked_path(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const auto steps = split(path, '/');
  if (!path.starts_with('/') || std::ranges::find(steps, "..") != steps.end()) {
    return Error{Code::usage, cat("not an absolute path: `", printable_line(path), "`"),
                 "write the path as the job sees it: JOB:/data/model.pt"};
  }
  return path;
}

// The nearest directory that there is must take new names.
Status check_writable(const Context& context, const std::string& typed) {
  namespace fs = std::filesystem;
  fs::path path(resolve_path(context.working_directory(), typed));
  std::error_code trouble;
  while (!fs::exists(fs::symlink_status(path, trouble)) && path.has_relative_path()) {
    path = path.parent_path();
  }
  const std::string shown = printable_line(path.string());
  if (!fs::is_directory(path, trouble)) {
    return Error{Code::usage, cat(shown, " is not a directory"),
                 "name a directory for the fetched files"};
  }
  if (::access(path.c_str(), W_OK | X_OK) == 0) return {};
  return Error{Code::usage, cat("cannot write into ", shown, ": ", system_words(errno)),
               "name another directory"};
}

Result<Order> order_of(const Context& context, const FetchOptions& options) {
  Order order;
  std::vector<std::string> words = options.words;
  if (!options.claim.empty()) {
    const Halves claim = split_once(options.claim, ':');
    const std::string fault = job::object_name_fault(claim.first);
    if (!fault.empty()) return Error{Code::usage, cat("--pvc ", fault), ""};
    order.claim = claim.first;
    std::string path = claim.second;
    if (!path.starts_with('/')) path.insert(0, "/");
    TRY_ASSIGN(path, checked_path(path));
    order.path = path == "/" ? std::string(k_claim_at) : cat(k_claim_at, path);
    if (options.image.empty() && !context.embedded) {
      return Error{
          Code::usage, "--pvc needs an image for the pod that mounts the claim",
          "--helper-image busybox, or any image with sh and tar that the cluster can pull"};
    }
  } else if (!words.empty()) {
    const Halves job = job_and_path(words.front());
    order.job = job.first;
    if (job.found) {
      TRY_ASSIGN(order.path, checked_path(job.second));
    }
    TRY(job::parse_job_ref(order.job));
    words.erase(words.begin());
  } else {
    return Error{Code::usage, "no job is named", "trainctl fetch JOB:/path DIR"};
  }
  const std::string what = order.claim.empty() ? order.job : cat("--pvc ", order.claim);
  order.listing = cat("trainctl fetch --list ", what);
  if (words.size() != (options.list ? 0U : 1U)) {
    return Error{Code::usage, words.empty() ? "no directory is named" : "too many arguments",
                 options.list ? order.listing : cat("trainctl fetch ", what, ":/path DIR")};
  }
  if (options.list) return order;
  if (words.front().empty())
    return Error{Code::usage, "the directory is empty", "`.` is the current directory"};
  TRY(check_writable(context, words.front()));
  order.directory = words.front();
  return order;
}

std::string shown_path(const std::string& root, const std::string& path) {
  if (path == ".") return root;
  return path.starts_with("./") ? cat(root == "/" ? "" : root, path.substr(1)) : path;
}

// Lists the files, and the directories that are empty.
Status print_listing(work::Shell& shell, const std::vector<std::string>& paths,
                     const Order& order) {
  Table table({"SIZE", "MODIFIED", "PATH"});
  work::Copying copying(shell);
  for (const std::string& path : paths) {
    TRY_ASSIGN(const work::RemoteFacts facts, copying.facts_of(path));
    if (facts.kind == work::RemoteFacts::Kind::missing) {
      return Error{Code::not_found, cat(printable_line(path), " does not exist"),
                   cat(order.listing, " shows what exists")};
    }
    TRY_ASSIGN(const work::RemoteListing listing, work::list_remote(copying, {path, facts}));
    for (const auto& [name, entry] : listing) {
      const bool directory = entry.is_directory();
      if (directory && name == ".") continue;
      std::string shown = printable_line(shown_path(path, name));
      if (!order.claim.empty()) shown.erase(0, k_claim_at.size());
      table.add({{directory ? "" : size_text(entry.size)},
                 {format_time(Time(std::chrono::seconds(entry.modified)))},
                 {directory ? cat(shown, "/") : shown}});
    }
  }
  return shell.access.console.out(table.text(shell.access.console));
}

Status serve(work::Shell& shell, const std::vector<std::string>& paths, const Order& order,
             const FetchOptions& options) {
  if (options.list) return print_listing(shell, paths, order);
  const std::string directory = resolve_path(shell.access.working_directory(), order.directory);
  return work::fetch_into(shell, {paths.front(), directory, order.listing, !options.no_verify});
}

Status by_helper(Context& context, kube::Client& client, job::HelperOrder helper,
                 const std::vector<std::string>& paths, const Order& order,
                 const FetchOptions& options) {
  work::sweep_helpers(context, client, helper.ns);
  TRY_ASSIGN(const std::string node, work::node_for(client, helper.ns, helper.mounts));
  if (!node.empty()) helper.node = node;
  if (helper.image.empty()) helper.image = options.image;
  work::Target target{"pod", helper.name, helper.ns, helper.name,
                      std::string(job::k_helper_container)};
  work::Shell shell{context, client, std::move(target)};
  shell.heed_signals();
  work::HelperPod pod(shell, std::move(helper));
  Status status = pod.start(options.patience.value_or(Duration::max()));
  if (status) status = serve(shell, paths, order, options);
  return pod.remove(std::move(status));
}

Status from_claim(Context& context, kube::Client& client, const Order& order,
                  const FetchOptions& options) {
  constexpr kube::Resource k_claims{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"};
  job::HelperOrder helper = work::new_order(context, context.ns());
  // The embedded cluster, which needs none, takes no pod without.
  helper.image = options.image.empty() ? "none" : options.image;
  TRY_ASSIGN(const Json claim, client.get(k_claims, context.ns(), order.claim));
  helper.owner = kube::owner_reference(k_claims, claim);
  helper.mounts = {job::whole_claim(order.claim, std::string(k_claim_at))};
  return by_helper(context, client, std::move(helper), {order.path}, order, options);
}

Status from_job(Context& context, const Order& order, FetchOptions options) {
  options.which.jobs = {order.job};
  TRY_ASSIGN(const work::TargetQuery query, options.which.query());
  Result<work::JobResults> results = work::find_results(context, query, order.path, options.list);
  if (!results) {
    Error error = std::move(results).error();
    const bool no_job = error.code == Code::not_found && error.message.starts_with("no ");
    if (no_job)
      error.hint += cat(error.hint.empty() ? "" : "; ",
                        "for a deleted job, name the claim: trainctl fetch --pvc CLAIM:/PATH DIR");
    return error;
  }
  const work::FoundJob& job = results->found.job;
  TRY_ASSIGN(const bool is_elsewhere, work::enter_past_worker(context, job));
  TRY_ASSIGN(kube::Client * client, context.client());
  if (!options.helper && options.image.empty()) {
    if (std::optional<work::Target> target = work::reader_of(*results)) {
      context.console.notice(
          cat("from ", target->name(), ", which is running; --helper-pod uses a separate pod"));
      work::Shell shell{context, *client, *std::move(target)};
      shell.heed_signals();
      return serve(shell, results->paths, order, options);
    }
  }
  job::HelperOrder helper = work::new_order(context, job.ns());
  // The worker cluster would delete what a job owns that it does not have.
  if (!is_elsewhere) helper.owner = kube::owner_reference(job.kind->resource, job.object);
  helper.plan = results->plan;
  helper.mounts = results->mounts;
  if (!context.embedded) {
    TRY_ASSIGN(helper.node, work::node_of(*results));
  }
  return by_helper(context, *client, std::move(helper), results->paths, order, options);
}

Status run_fetch(const FetchOptions& options, Context& context) {
  TRY_ASSIGN(const Order order, order_of(context, options));
  if (order.claim.empty()) return from_job(context, order, options);
  TRY_ASSIGN(kube::Client * client, context.client());
  return from_claim(context, *client, order, options);
}

}  // namespace

Runner define_fetch(const Definition& definition) {
  auto options = std::make_shared<FetchOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB[/REPLICA][:PATH] DIR", options->words, 0, 2,
                  "path in a volume of the job, and local directory to copy it to");
  bind("pvc", options->claim);
  add_kind_flag(bind, options->which.kind);
  bind("list", options->list);
  bind("no-verify", options->no_verify);
  bind("helper-pod", options->helper);
  bind("helper-image", options->image);
  bind("start-timeout", options->patience);
  return [options](Context& context) { return run_fetch(*options, context); };
}

}  // namespace trainctl::cli
