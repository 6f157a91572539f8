// Everything a command may access, in one value; each part has a fake in tests/support.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/config/kubeconfig.h"
#include "net/http.h"
#include "work/access.h"

namespace trainctl::local {
struct ServeOptions;
}

namespace trainctl::options {
struct Setting;
struct TreeFile;
enum class TreeConfig;
}  // namespace trainctl::options

namespace trainctl::cli {

class CommandTable;
class Context;

using MakeTransport =
    std::function<Result<std::unique_ptr<net::Transport>>(const net::Endpoint& endpoint)>;

// The way in which --local uses this user's embedded cluster.
struct LocalChoice {
  bool start = true;      // false: use it only if it runs already
  bool is_found = false;  // nobody asked for it: it exists, and nothing names another cluster
  int gpus = -1;          // --local-gpus; -1 = the devices present
  long log_limit = -1;    // --local-log-limit, in MiB; -1 = the cluster's default
};

// The flags that chose the cluster and the namespace, for repetition in hints; without secrets.
struct ClusterFlags {
  std::string cluster;  // " --context lab"
  std::string ns;       // " -n team"
};

// The command of which an untyped line is a part.
struct LiteralLine {
  std::optional<Time> waiting_since;  // the wait of earlier lines, which goes on with this one
};

// The batch script of Slurm from which the line was made.
struct SubmittedScript {
  std::vector<std::string> typed;  // the line that names it
  // The line and TRAINCTL_* variables win over them.
  std::vector<options::Setting> settings;
};

// The choice of the settings that apply to the line.
struct ConfigurationChoice {
  std::optional<options::TreeConfig> tree_config;  // nullopt: not typed
  // The working tree's file, found once per command so that no two parts of it mean different ones.
  std::shared_ptr<const options::TreeFile> tree_file;
  std::shared_ptr<const SubmittedScript> script;  // null: the line submits none
  // The context that the settings name for a worker cluster of MultiKueue; set by run().
  std::function<Result<std::string>(const Context& context, const std::string& worker)>
      worker_context;
};

class Context : public work::Access {
 public:
  Context(const CommandTable& commands, Console& console, Files& files, Loop& loop,
          Environment environment, MakeTransport make_transport);

  const CommandTable& commands;  // for help, completion and configuration
  MakeTransport make_transport;
  kube::ConnectionFlags connection_flags;  // filled by the parser
  ClusterFlags cluster_flags;
  std::vector<std::string> typed;  // the words of the command line
  mutable ConfigurationChoice configuration;
  CiSystem ci = CiSystem::none;  // its log gets folds, annotations, a summary
  LocalChoice local;             // what --local-… asks of the embedded cluster
  // Runs the embedded cluster in this process until it ends; unset in tests.
  std::function<Status(const local::ServeOptions&)> serve_local;
  // Runs another line in a context of its own, as `mcp` does; set by run().
  std::function<int(const std::vector<std::string>&, Context&)> run_line;
  // The line was not typed by the user: of the configuration, only the connection and what jobs are
  // made of apply to it, so that no habit, such as `delete.all`, adds to what it says; and it gets
  // no job with rights on nodes.
  std::optional<LiteralLine> literal;
  std::string program;  // this executable, also started as the embedded cluster; "" = unknown
  int trace_level = 0;  // --verbose

  // Reads kubeconfig and credentials, once. Without `patient`, failed requests are not retried, and
  // a credential plugin gets one second and no terminal.
  Result<kube::Client*> client() override;
  Status enter_worker(const std::string& worker) override;
  void leave_worker() override { clients_.worker.clear(); }
  // -n, else the kubeconfig's (embedded cluster: `default`).
  const std::string& ns() override;
  const std::string& named_ns() const override { return connection_flags.ns; }
  std::string cluster_name() const override;
  std::string cluster_identity() const override;
  WaitLimit* set_limit(WaitLimit* limit) override;
  // Returns where and how client() connects, unless a worker cluster is entered; reads files, but
  // sends nothing.
  Result<kube::Connection> connection() const;

 private:
  Result<kube::Connection> connection_of_worker() const;
  Result<std::unique_ptr<net::Transport>> connect(const kube::Connection& connection,
                                                  const std::unique_ptr<kube::Client>& client);

  struct Clients {
    WaitLimit* limit = nullptr;
    std::string worker;  // the context of the worker cluster that is entered; "" = none is
    // By that context: a client of the manager's cluster can be used further.
    std::map<std::string, std::unique_ptr<kube::Client>> by_context;
  };

  Clients clients_;
  std::optional<std::string> ns_;
};

}  // namespace trainctl::cli
