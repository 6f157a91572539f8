// Reads the site's file where jobs are built, so that no command can forget its policy.
#include "work/create/site_policy.h"

#include "base/text/text.h"
#include "base/value/config_text.h"

namespace trainctl::work {

Result<std::optional<job::Policy>> site_policy(Access& access) {
  const std::string path(job::k_site_file);
  if (access.embedded || !access.files.exists(path)) return std::optional<job::Policy>();
  const auto text = access.files.read(path);
  if (!text) return Error{Code::usage, text.error().message, text.error().hint};
  TRY_ASSIGN(const Json config, parse_config(*text, path));
  const auto found = config.find("policy");
  if (found == config.end()) return std::optional<job::Policy>();
  TRY_ASSIGN(job::Policy policy, job::read_policy(*found, path));
  return std::optional<job::Policy>(std::move(policy));
}

Status check_image(Access& access, std::string_view flag, const std::string& image) {
  TRY_ASSIGN(const auto policy, site_policy(access));
  const std::string fault = policy ? job::image_fault(*policy, image) : "";
  if (fault.empty()) return {};
  return Error{Code::usage, cat(flag, ": ", fault), "name an image of an allowed registry"};
}

}  // namespace trainctl::work
