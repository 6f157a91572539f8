// `trainctl port-forward`: local ports that lead to ports of a replica, such as TensorBoard's.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "work/session/forwarding.h"

namespace trainctl::cli {
namespace {

struct PortForwardOptions {
  TargetFlags which;
  std::vector<std::string> words;  // the job, and the ports
  std::vector<std::string> addresses;
};

Status run_port_forward(PortForwardOptions options, Context& context) {
  options.which.jobs = {options.words.front()};
  std::vector<work::PortPair> ports;
  for (std::size_t i = 1; i < options.words.size(); ++i) {
    TRY_ASSIGN(const work::PortPair pair, work::parse_port_pair(options.words[i]));
    ports.push_back(pair);
  }
  if (options.addresses.empty()) options.addresses = {"127.0.0.1"};
  TRY_ASSIGN(const work::TargetQuery query, options.which.query());
  TRY_ASSIGN(const work::Target target, work::find_target(context, query));
  TRY_ASSIGN(std::vector<work::LocalPort> listening,
             work::listen_on_all(context, ports, options.addresses));
  TRY(work::find_own_ports(context, target, listening));
  return work::forward_ports(context, target, std::move(listening));
}

}  // namespace

Runner define_port_forward(const Definition& definition) {
  auto options = std::make_shared<PortForwardOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB[/REPLICA] [LOCAL:]REMOTE...", options->words, 2, k_any_number,
                  "job, replica of a job, or pod; then the ports, as 8080, 8080:80 or :80");
  add_target_flags(bind, options->which);
  bind("address", options->addresses);
  return [options](Context& context) { return run_port_forward(*options, context); };
}

}  // namespace trainctl::cli
