// The choice between a kubeconfig's cluster and the embedded one, and the connection to the latter.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "local/daemon/launch.h"

namespace trainctl::cli {

// The namespace: -n, else `default`.
std::string local_namespace(const Context& context);

// Describes the connection to the Unix socket, which needs no credentials; does not connect.
Result<kube::Connection> local_connection(const Context& context);

// The daemon's process ID; 0 = none runs.
int running_daemon(const Context& context);
// True when this user has an embedded cluster, which may have stopped.
bool has_local_cluster(const Context& context);
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
// work::EmbeddedCluster.

// `context` must outlive the result.
std::unique_ptr<work::EmbeddedCluster> make_embedded(Context& context);

}  // namespace trainctl::cli
