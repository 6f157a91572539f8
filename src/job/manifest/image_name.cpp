// Resolves the short names of images as container runtimes do: no registry means Docker Hub.
#include "job/manifest/image_name.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/names.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_hub = "docker.io";
constexpr std::string_view k_hub_index = "index.docker.io";
constexpr std::string_view k_official = "library";

// Without one of these, the first part of a name is a namespace of Docker Hub.
bool is_registry(std::string_view part) {
  return part == "localhost" || part.find_first_of(".:") != std::string_view::npos;
}

std::string host_of(std::string_view registry) {
  std::string host = lower(std::string(registry));
  return host == k_hub_index ? std::string(k_hub) : host;
}

// Finds the colon before a tag; the one before a registry's port precedes a slash.
std::size_t tag_of(std::string_view name) {
  const auto slash = name.rfind('/');
  return name.find(':', slash == std::string_view::npos ? 0 : slash);
}

// An image name without tag and digest, in two parts.
struct Parts {
  std::string registry;  // docker.io if the name has none
  std::string repository;
};

Parts name_parts(std::string_view name) {
  const auto slash = name.find('/');
  const bool has_registry = slash != std::string_view::npos && is_registry(name.substr(0, slash));
  if (!has_registry) return {std::string(k_hub), std::string(name)};
  return {host_of(name.substr(0, slash)), std::string(name.substr(slash + 1))};
}

bool is_one_word_of_hub(const Parts& parts) {
  return parts.registry == k_hub && parts.repository.find('/') == std::string::npos;
}

bool has_only_names(std::string_view text) {
  static constexpr std::string_view k_signs = "._-/:";
  const bool holds = std::ranges::all_of(text, [](char c) {
    return kube::is_alphanumeric(c) || k_signs.find(c) != std::string_view::npos;
  });
  const std::string rooted = cat('/', text, '/');
  return holds && rooted.find("//") == std::string::npos && rooted.find("/.") == std::string::npos;
}

bool is_port(std::string_view text) {
  constexpr int k_last_port = 65535;
  const auto port = parse_number<int>(text);
  return port && *port > 0 && *port <= k_last_port;
}

Error bad_prefix(std::string message) {
  return {Code::usage, std::move(message), ""};
}

}  // namespace

std::string full_image_name(std::string_view image) {
  std::string_view name = image.substr(0, image.find('@'));
  name = name.substr(0, tag_of(name));
  const Parts parts = name_parts(name);
  if (is_one_word_of_hub(parts)) return cat(k_hub, '/', k_official, '/', parts.repository);
  return cat(parts.registry, '/', parts.repository);
}

Result<std::string> full_image_prefix(std::string_view prefix) {
  const bool is_open = prefix.ends_with('/');
  const std::string_view name = is_open ? prefix.substr(0, prefix.size() - 1) : prefix;
  if (prefix.find("://") != std::string_view::npos) return bad_prefix("is a URL");
  if (prefix.find('@') != std::string_view::npos) return bad_prefix("has a digest");
  if (!has_only_names(name)) return bad_prefix("cannot begin the name of an image");
  const auto colon = tag_of(name);
  const bool is_host = name.find('/') == std::string_view::npos && is_registry(name);
  if (colon != std::string_view::npos && !(is_host && is_port(name.substr(colon + 1)))) {
    return bad_prefix("has a tag");
  }
  // "python:3" is an image with a tag, or a registry with a port.
  const bool is_known_host = is_open || is_registry(name.substr(0, colon));
  if (is_host && !is_known_host) {
    return bad_prefix(
        cat("could be a registry or an image with a tag: write ", name, "/ for the registry"));
  }
  if (is_host) return host_of(name);
  const Parts parts = name_parts(name);
  if (!is_open && is_one_word_of_hub(parts) && parts.repository != k_official) {
    return bad_prefix(cat("could be a namespace or an image: write ", k_hub, '/', parts.repository,
                          "/ or ", k_hub, '/', k_official, '/', parts.repository));
  }
  return cat(parts.registry, '/', parts.repository);
}

bool is_image_below(std::string_view name, std::string_view prefix) {
  if (!has_only_names(name) || !name.starts_with(prefix)) return false;
  return name.size() == prefix.size() || name[prefix.size()] == '/';
}

}  // namespace trainctl::job
