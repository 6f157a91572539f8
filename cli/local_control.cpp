// Controls the embedded cluster for `trainctl local`. The undocumented action `serve` is the
// cluster itself.
#include <memory>

#include "base/console/console.h"
#include "base/text/text.h"
#include "cli/local_cluster.h"
#include "local/daemon/control.h"
#include "local/daemon/daemon.h"
#include "local/daemon/kept_socket.h"
#include "local/daemon/launch.h"
#include "local/daemon/places.h"

namespace trainctl::cli {
namespace {

constexpr Duration k_silence =
    std::chrono::seconds(2);  // before a notice says what trainctl waits for

Error not_running() {
  return {Code::not_found, "the embedded cluster is not running",
          "to start the embedded cluster: trainctl local up, or any command with --local"};
}

// Sends one request to the daemon itself.
Result<Json> ask(Context& context, const std::string& method, const Json& order) {
  TRY_ASSIGN(const kube::Connection connection, local_connection(context));
  TRY_ASSIGN(const auto transport, context.make_transport(connection.endpoint));
  const HandlePtr silence = context.loop.after(k_silence, [&context] {
    context.console.notice(cat("waiting for ", the_daemon(running_daemon(context)), " to answer"));
  });
  TRY_ASSIGN(const auto answer, ask_local(context, *transport, method, local::k_control_path,
                                          order.is_null() ? "" : dump(order)));
  TRY_ASSIGN(Json facts, parse_json(answer.body, "the embedded cluster's answer"));
  if (answer.head.status == 200) return facts;
  return Error{Code::usage, text_at(facts, "/message"), text_at(facts, "/hint")};
}

Status up(const LocalOptions& options, Context& context) {
  TRY_ASSIGN(const local::DaemonPaths places, local::places(context.environment));
  local::Launch launch = local_launch(context);
  launch.idle = options.idle;
  if (!launch.program.empty()) TRY(local::ensure_running(places, launch));
  Json order = Json::object();
  if (options.idle) {
    order["idleSeconds"] = std::chrono::ceil<std::chrono::seconds>(*options.idle).count();
  }
  TRY_ASSIGN(const Json facts, ask(context, "POST", order));
  context.console.notice(cat("the embedded cluster is running: process ",
                             int_at(facts, "/pid").value_or(0), ", ", text_at(facts, "/socket")));
  const auto gpus = int_at(facts, "/gpus");
  if (context.local.gpus >= 0 && gpus && *gpus != context.local.gpus) {
    context.console.warn(cat("the embedded cluster was already running, with ",
                             plural(static_cast<long>(*gpus), "GPU"),
                             "; to change that, run trainctl local down first"));
  }
  return {};
}

Result<bool> agreed(const LocalOptions& options, Context& context, std::int64_t containers) {
  if (containers == 0 || options.yes) return true;
  return consented(context.console, context.loop, context.environment,
                   cat("Stop the embedded cluster with ", plural(containers, "running container")));
}

// The places of the daemon that serves this user. HOME says only where a new one keeps its files:
// one that serves already may keep them elsewhere.
Result<local::DaemonPaths> places_in_use(Context& context) {
  TRY_ASSIGN(local::DaemonPaths places, local::places(context.environment));
  const bool serves = local::reach(places.socket) == local::Reach::accepts;
  if (context.program.empty() || local::daemon_pid(places) != 0 || !serves) return places;
  TRY_ASSIGN(const Json facts, ask(context, "GET", nullptr));
  places.state = text_at(facts, "/directory");
  return places;
}

Status down(const LocalOptions& options, Context& context) {
  TRY_ASSIGN(const local::DaemonPaths places, places_in_use(context));
  if (local::daemon_pid(places) == 0) {
    context.console.notice("the embedded cluster is not running");
    return {};
  }
  // A daemon that does not answer is ended nevertheless.
  const auto facts = ask(context, "GET", nullptr);
  const std::int64_t containers = facts ? int_at(*facts, "/containers").value_or(0) : 0;
  TRY_ASSIGN(const bool may_stop, agreed(options, context, containers));
  if (!may_stop) {
    context.console.notice("the embedded cluster was not stopped");
    return {};
  }
  if (containers > 0) {
    context.console.notice(cat("waiting for ", plural(containers, "container"), " to end"));
  }
  TRY_ASSIGN(
      const bool ended, local::end_daemon(places, [&context] {
        context.console.notice(cat("waiting for ", the_daemon(running_daemon(context)), " to end"));
      }));
  if (!ended) {
    context.console.notice("the embedded cluster has stopped by itself");
  } else if (containers > 0) {
    context.console.notice(
        "the embedded cluster has stopped and keeps its jobs and logs; running replicas restart "
        "with it, or have failed if their restart policy is Never");
  } else {
    context.console.notice("the embedded cluster has stopped and keeps its jobs and logs");
  }
  return {};
}

Status status(Context& context) {
  TRY_ASSIGN(const local::DaemonPaths places, places_in_use(context));
  if (!context.program.empty() && local::daemon_pid(places) == 0) return not_running();
  auto asked = ask(context, "GET", nullptr);
  if (!asked && asked.error().code == Code::unreachable) {
    const Error why = local::held_by_another(places);
    return Error{Code::unreachable, why.message, why.hint};
  }
  TRY_ASSIGN(const Json facts, std::move(asked));
  const auto number = [&](std::string_view pointer) { return int_at(facts, pointer).value_or(0); };
  const auto since = parse_time(text_at(facts, "/since"));
  const Duration age = since ? context.loop.now() - *since : Duration{};
  std::string text;
  const auto line = [&text](std::string name, const std::string& value) {
    name.resize(12, ' ');
    text += cat(name, value, '\n');
  };
  line("process", cat(number("/pid")));
  line("version", text_at(facts, "/version"));
  line("since", cat(text_at(facts, "/since"), " (", format_age(age), ")"));
  line("socket", text_at(facts, "/socket"));
  line("jobs", cat(number("/jobs"), ", ", number("/unfinishedJobs"), " unfinished"));
  line("containers", cat(number("/containers"), " running"));
  line("GPUs", cat(number("/gpus")));
  line("memory", cat(number("/memoryBytes") >> 20U, " MiB"));
  line("ends after", number("/idleSeconds") == 0
                         ? std::string("trainctl local down")
                         : format_age(std::chrono::seconds(number("/idleSeconds"))) + " idle");
  line("directory", text_at(facts, "/directory"));
  return context.console.out(text);
}

Status serve(const LocalOptions& options, Context& context) {
  local::ServeOptions serving;
  if (options.idle) serving.idle = *options.idle;
  serving.gpus = context.local.gpus;
  serving.log_limit = context.local.log_limit;
  serving.ready_fd = static_cast<int>(options.ready_fd.value_or(-1));
  serving.log = [&context](const std::string& line) {
    context.console.err(cat(format_time(context.loop.now()), ' ', line, '\n'));
  };
  if (!context.serve_local)
    return Error{Code::error, "this process cannot serve the embedded cluster"};
  return context.serve_local(serving);
}

}  // namespace

Status control_local_cluster(const LocalOptions& options, Context& context) {
  const std::string& action = options.action.front();
  if (action == "up") return up(options, context);
  if (action == "down") return down(options, context);
  if (action == "status") return status(context);
  if (action == "serve") return serve(options, context);
  return Error{Code::usage, cat("local has no action `", action, "`"),
               "trainctl local up, down or status"};
}

void offer_to_serve(UvLoop& loop, Context& context) {
  context.serve_local = [&loop, &context](const local::ServeOptions& options) {
    return local::serve(loop, context.environment, options, context.program);
  };
}

}  // namespace trainctl::cli
