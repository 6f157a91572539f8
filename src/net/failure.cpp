// Builds the messages for connection failures.
#include "net/failure.h"

#include "base/text/text.h"

namespace trainctl::net {

Error cannot_reach(std::string_view server, std::string_view reason) {
  return Error{Code::unreachable, cat("cannot reach ", server, ": ", reason),
               "check that the cluster is up and that --context or --server names the right one"};
}

Error too_many_open(std::string_view server, std::uint64_t limit) {
  return Error{
      Code::unreachable,
      cat("cannot reach ", server, ": too many open files (the limit is ", limit, ": ulimit -n)"),
      "raise the limit with ulimit -n, or follow fewer replicas: without HTTP/2, each log needs "
      "its own connection"};
}

Error connection_lost(std::string_view server) {
  return Error{
      Code::unreachable, cat("the connection to ", server, " was lost before its answer ended"),
      "try again; if it happens often, a proxy or load balancer in between cuts connections"};
}

Error no_answer(std::string_view server, Duration limit) {
  return Error{Code::unreachable, cat("no answer from ", server, " within ", seconds_text(limit)),
               "wait longer with --request-timeout, or check that the cluster is up"};
}

Error no_sign_of_life(std::string_view server, Duration limit) {
  return Error{
      Code::unreachable, cat("no sign of life from ", server, " for ", seconds_text(limit)),
      "try again; if it happens often, a proxy or load balancer in between drops idle connections"};
}

std::string trying_again(Duration wait) {
  return wait == Duration::zero() ? "trying again" : cat("trying again in ", seconds_text(wait));
}

std::string seconds_text(Duration duration) {
  const auto tenths = std::chrono::round<std::chrono::duration<long, std::deci>>(duration).count();
  if (tenths % 10 == 0) return cat(tenths / 10, " s");
  return cat(tenths / 10, '.', tenths % 10, " s");
}

}  // namespace trainctl::net
