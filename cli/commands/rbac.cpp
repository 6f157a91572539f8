// `trainctl rbac`: the smallest Role for a set of uses of trainctl, for an administrator to apply.
#include <memory>

#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "manifest/kind/names.h"
#include "work/rights/rights.h"

namespace trainctl::cli {
namespace {

struct RbacOptions {
  std::vector<work::Use> uses;
  std::string name = "trainctl";
  std::string account;
  options::Format output = options::Format::yaml;
};

Status run_rbac(const RbacOptions& options, Context& context) {
  std::vector<work::Use> uses = options.uses;
  if (uses.empty()) uses = {work::Use::submit, work::Use::follow};
  return print_documents(context, options.output,
                         work::roles_for(uses, options.name, context.ns(), options.account));
}

}  // namespace

Runner define_rbac(const Definition& definition) {
  auto options = std::make_shared<RbacOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind("for", options->uses);
  check_values(bind("name", options->name), job::object_name_fault);
  check_values(bind("service-account", options->account), job::object_name_fault);
  bind("output", options->output);
  return [options](Context& context) { return run_rbac(*options, context); };
}

}  // namespace trainctl::cli
