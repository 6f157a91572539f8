// The flags that every command has: cluster, namespace, verbosity.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/options/bind.h"
#include "options/table/choices.h"

namespace trainctl::cli {

// Flags every command has.
struct Globals {
  kube::ConnectionFlags connection;
  bool no_color = false;
  bool quiet = false;
  int verbose = 0;
  bool local = false;
  std::optional<options::TreeConfig> tree_config;  // nullopt: not typed
  std::optional<CiSystem> ci;                      // nullopt: what the environment says
  std::string cluster_flag;  // the first flag given that names a cluster; "" = none
  ClusterFlags cluster_flags;
  std::optional<long> local_gpus;
  std::optional<long> local_log_limit;  // MiB
};
// `command`: the name of the command that gets them.
void add_globals(CLI::App& app, std::string_view command, Globals& globals);
// True for the help groups of these flags, for the layout of help and manual.
bool is_global_group(std::string_view group);
// Code::usage for flags that contradict each other, and for a number as the namespace.
Status apply_globals(std::string_view command, const Globals& globals, Context& context);

}  // namespace trainctl::cli
