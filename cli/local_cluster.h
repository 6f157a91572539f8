// The choice between a kubeconfig's cluster and the embedded one, and the connection to the latter.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text/time.h"
#include "cli/context.h"

namespace trainctl {
class UvLoop;
namespace local {
struct Launch;
}
}  // namespace trainctl

namespace trainctl::cli {

// Refuses where the embedded cluster cannot run. There, local_unavailable.cpp is built in place of
// local_cluster.cpp and local_control.cpp, and nothing else below is called but
// has_local_cluster().
Status check_local_host();

// The namespace: -n, else `default`.
inline std::string local_namespace(const Context& context) {
  return context.connection_flags.ns.empty() ? "default" : context.connection_flags.ns;
}

// Describes the connection to the Unix socket, which needs no credentials; does not connect.
Result<kube::Connection> local_connection(const Context& context);

// The daemon's process ID; 0 = none runs.
int running_daemon(const Context& context);
// True when this user has an embedded cluster, which may have stopped.
bool has_local_cluster(const Context& context);
// Says that a command without a kubeconfig uses that cluster: once in its life, and each time with
// --verbose.
void tell_of_found_cluster(Context& context);
// The daemon's name in messages: with its process ID, unless that is 0.
std::string the_daemon(int process);

// Returns how this command would start the embedded cluster.
local::Launch local_launch(const Context& context);

// One request to the running daemon.
Result<net::Response> ask_local(Context& context, net::Transport& transport,
                                const std::string& method, std::string_view target,
                                std::string body);

// Makes sure that a daemon runs, and that another one is started if it dies.
Result<std::unique_ptr<net::Transport>> start_local_cluster(
    Context& context, std::unique_ptr<net::Transport> transport);

// Tells the layers below about the embedded cluster: the one implementation of
// work::EmbeddedCluster. `context` must outlive the result.
std::unique_ptr<work::EmbeddedCluster> make_embedded(Context& context);

// The words and flags behind `trainctl local`.
struct LocalOptions {
  std::vector<std::string> action;  // one word
  std::optional<Duration> idle;
  std::optional<long> ready_fd;
  bool yes = false;
};
Status control_local_cluster(const LocalOptions& options, Context& context);

// Lets this process become the embedded cluster. Both must outlive its end.
void offer_to_serve(UvLoop& loop, Context& context);

}  // namespace trainctl::cli
