// Asks for the services, and for their ports on this machine.
#include "work/find/local_addresses.h"

#include "work/find/batch_fetch.h"

namespace trainctl::work {

Result<LocalAddresses> local_addresses(Access& access, const FoundJob& job) {
  constexpr kube::Resource k_services{"", "v1", "services", "Service"};
  LocalAddresses addresses;
  if (!access.embedded) return addresses;
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<Listing> services = {{.resource = k_services, .ns = job.ns()}};
  fetch_together(*client, services);
  if (const auto& failure = services[0].failure) return failure->error;
  addresses.services = std::move(services[0].objects);
  TRY_ASSIGN(addresses.ports, access.embedded->ports(job.uid()));
  return addresses;
}

}  // namespace trainctl::work
