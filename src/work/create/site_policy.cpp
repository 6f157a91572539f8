// Reads the site's file where jobs are built, so that no command can forget its policy.
#include "work/create/site_policy.h"

#include "base/text/text.h"
#include "base/value/config_text.h"

namespace trainctl::work {

Result<std::optional<std::string>> read_site_file(Files& files) {
  const std::string path(job::k_site_file);
  auto text = files.read(path);
  if (text) return std::optional(*std::move(text));
  Error error = std::move(text).error();
  if (error.code != Code::not_found) return Error{Code::usage, error.message, error.hint};
  for (const std::string& part : {directory_of(path), path}) {
    const auto node = files.node(part);
    if (!node || node->kind != FileNode::Kind::link || files.exists(part)) continue;
    return Error{Code::usage,
                 cat(part, " is a link to ", printable_line(node->target),
                     ", which does not exist, so the site's policy is unknown"),
                 "ask the administrator of this machine to fix the link"};
  }
  return std::optional<std::string>();
}

Result<std::optional<job::Policy>> site_policy(Access& access) {
  if (access.embedded) return std::optional<job::Policy>();
  TRY_ASSIGN(const auto text, read_site_file(access.files));
  if (!text) return std::optional<job::Policy>();
  const std::string path(job::k_site_file);
  TRY_ASSIGN(const Json config, parse_config(*text, path));
  const auto found = config.find("policy");
  if (found == config.end()) return std::optional<job::Policy>();
  TRY_ASSIGN(job::Policy policy, job::read_policy(*found, {path, *text}));
  return std::optional<job::Policy>(std::move(policy));
}

Status check_image(Access& access, std::string_view flag, const std::string& image) {
  TRY_ASSIGN(const auto policy, site_policy(access));
  const std::string fault = policy ? job::image_fault(*policy, image) : "";
  if (fault.empty()) return {};
  return Error{Code::usage, cat(flag, ": ", fault), "name an image of an allowed registry"};
}

}  // namespace trainctl::work
