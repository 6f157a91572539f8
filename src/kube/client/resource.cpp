// Builds and parses paths of the Kubernetes API.
#include "kube/client/resource.h"

#include <vector>

#include "base/text/text.h"
#include "net/url.h"

namespace trainctl::kube {

namespace {

Status check_part(std::string_view what, std::string_view part) {
  const bool leaves_its_place = part == "." || part == ".." ||
                                part.find_first_of("/%") != std::string_view::npos ||
                                part.find('\0') != std::string_view::npos;
  if (!leaves_its_place) return {};
  return Error{Code::usage, cat("\"", printable_line(part), "\" cannot be a ", what),
               "names consist of lower-case letters, digits, '-' and '.'"};
}

}  // namespace

std::string Resource::api_version() const {
  if (group.empty()) return std::string(version);
  return cat(group, "/", version);
}

Result<std::string> resource_path(const Resource& resource, std::string_view ns,
                                  std::string_view name, std::string_view subresource) {
  TRY(check_part("namespace", ns));
  TRY(check_part("name", name));
  std::string path = cat(resource.group.empty() ? "/api/" : "/apis/", resource.api_version());
  if (!ns.empty()) path += "/namespaces/" + net::percent_encoded(ns);
  path += cat("/", resource.plural);
  if (!name.empty()) path += "/" + net::percent_encoded(name);
  if (!subresource.empty()) path += cat("/", subresource);
  return path;
}

Result<std::string> object_path(const Resource& resource, std::string_view ns,
                                std::string_view name) {
  if (name.empty())
    return Error{Code::usage, cat("the name of a ", resource.kind, " is empty"), ""};
  return resource_path(resource, ns, name);
}

std::string_view provider_of(std::string_view group, std::string_view version) {
  if (group == "kubeflow.org" && version == "v2beta1") return "mpi-operator";
  if (group == "kubeflow.org") return "the Kubeflow training operator";
  if (group == "trainer.kubeflow.org") return "Kubeflow Trainer";
  return "the component that provides it";
}

std::string PathParts::resource() const {
  return group.empty() ? plural : cat(plural, ".", group);
}

std::optional<PathParts> parse_resource_path(std::string_view target) {
  target = target.substr(0, target.find('?'));
  if (target.empty() || target.front() != '/') return std::nullopt;
  const std::vector<std::string> steps = split(target.substr(1), '/');
  PathParts parts;
  std::size_t at = 0;
  const auto next = [&] { return at < steps.size() ? steps[at++] : std::string(); };

  const std::string root = next();
  if (root == "apis")
    parts.group = next();
  else if (root != "api")
    return std::nullopt;
  parts.version = next();
  if (at + 2 < steps.size() && steps[at] == "namespaces") {
    ++at;
    parts.ns = next();
  }
  parts.plural = next();
  parts.name = next();
  parts.subresource = next();
  if (parts.version.empty() || parts.plural.empty()) return std::nullopt;
  return parts;
}

}  // namespace trainctl::kube
