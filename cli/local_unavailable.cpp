// Refuses --local and `trainctl local` where the embedded cluster cannot run.
#include "cli/local_cluster.h"

namespace trainctl::cli {

Status check_local_host() {
  return Error{Code::usage, "the embedded cluster runs on Linux only",
               "use a Linux container, as docs/install.md says, or Kubernetes: "
               "--local=false"};
}

bool has_local_cluster(const Context&) {
  return false;
}

void tell_of_found_cluster(Context&) {}

Result<kube::Connection> local_connection(const Context&) {
  return check_local_host().error();
}

Result<std::unique_ptr<net::Transport>> start_local_cluster(Context&,
                                                            std::unique_ptr<net::Transport>) {
  return check_local_host().error();
}

std::unique_ptr<work::EmbeddedCluster> make_embedded(Context&) {
  return nullptr;
}

Status control_local_cluster(const LocalOptions&, Context&) {
  return check_local_host();
}

void offer_to_serve(UvLoop&, Context&) {}

}  // namespace trainctl::cli
