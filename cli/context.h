// Everything a command may access, in one value; each part has a fake in tests/support.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/console.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/loop.h"
#include "base/pinned_files.h"
#include "base/wait_limit.h"
#include "kube/client.h"
#include "kube/kubeconfig.h"
#include "local/daemon/daemon.h"
#include "net/http.h"

namespace trainctl::cli {

using MakeTransport =
    std::function<Result<std::unique_ptr<net::Transport>>(const net::Endpoint& endpoint)>;

// --local: this user's embedded cluster instead of the kubeconfig's.
struct LocalChoice {
  bool chosen = false;
  bool start = true;    // false: use it only if it runs already
  int gpus = -1;        // --local-gpus; -1 = the devices present
  long log_limit = -1;  // --local-log-limit, in MiB; -1 = the cluster's default
};

// The flags that chose the cluster and the namespace, for repetition in hints; without secrets.
struct PlaceWords {
  std::string cluster;  // " --context lab"
  std::string ns;       // " -n team"
};

struct TreeFile;

class Context {
  std::unique_ptr<PinnedFiles> pinned_files_;

 public:
  Context(Console& console, Files& files, Loop& loop, Environment environment,
          MakeTransport make_transport);

  Console& console;
  PinnedFiles& files;
  Loop& loop;
  Environment environment;
  MakeTransport make_transport;
  std::function<std::string()> unique_id;  // unguessable; marks objects that this run creates
  kube::ConnectionFlags connection_flags;  // filled by the parser
  PlaceWords place;
  std::string tree_config;  // --tree-config's word; "" = not typed
  // The working tree's file, found once per command so that no two parts of it mean different ones.
  mutable std::shared_ptr<const TreeFile> tree_file;
  CiSystem ci = CiSystem::none;  // to fold, annotate and sum up for
  LocalChoice local;
  // Runs the embedded cluster in this process until it ends; unset in tests.
  std::function<Status(const local::ServeOptions&)> serve_local;
  // The system's name for this user; "" = unknown. Asked for only where no variable has a name,
  // since looking it up costs every start.
  std::function<std::string()> login = [] { return std::string(); };
  std::string program;    // this executable, also started as the embedded cluster; "" = unknown
  std::string directory;  // the working directory; "" = $PWD
  int trace_level = 0;    // --verbose
  // When false, failed requests are not retried, and a credential plugin gets one second and no
  // terminal.
  bool patient = true;

  // The client for the chosen cluster; kubeconfig and credentials are read at the first call.
  Result<kube::Client*> client();
  // The namespace that commands work in: -n, else the kubeconfig's (embedded cluster: `default`).
  // Needs no cluster.
  const std::string& ns();
  // Where and how client() connects; reads files, but sends nothing.
  Result<kube::Connection> connection() const;
  // The working directory; "" when it no longer exists.
  std::string working_directory() const;
  // Ends the waits of client(), which need not exist yet; returns the limit before. See
  // LimitedCalls.
  WaitLimit* set_limit(WaitLimit* limit);

 private:
  WaitLimit* limit_ = nullptr;
  std::unique_ptr<kube::Client> client_;
  std::optional<std::string> ns_;
};

// While it lives, what waits for the cluster ends at the deadline and at ending signals, with the
// error of that end. The innermost one counts: a roll-back has its own.
class LimitedCalls {
 public:
  LimitedCalls(Context& context, const std::optional<Deadline>& deadline)
      : context_(context), limit_(context.loop, deadline), outer_(context.set_limit(&limit_)) {}
  ~LimitedCalls() { context_.set_limit(outer_); }
  LimitedCalls(const LimitedCalls&) = delete;
  LimitedCalls& operator=(const LimitedCalls&) = delete;

 private:
  Context& context_;
  WaitLimit limit_;
  WaitLimit* outer_;
};

}  // namespace trainctl::cli
