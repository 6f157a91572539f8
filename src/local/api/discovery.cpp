// Describes the API, derived from the served kinds.
#include "local/api/discovery.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text/text.h"
#include "local/api/openapi.h"
#include "local/api/self_review.h"
#include "local/resources.h"

namespace trainctl::local {

namespace {

constexpr std::string_view k_aggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

struct GroupVersion {
  std::string group;
  std::string version;

  std::string name() const { return group.empty() ? version : cat(group, '/', version); }
};

// The kinds that are stored, and the reviews.
const std::vector<ServedResource>& described() {
  static const std::vector<ServedResource> k_described = [] {
    std::vector<ServedResource> rows = review_resources();
    rows.insert(rows.begin(), served_resources().begin(), served_resources().end());
    return rows;
  }();
  return k_described;
}

std::vector<GroupVersion> group_versions() {
  std::vector<GroupVersion> all;
  for (const ServedResource& row : described()) {
    const bool known = std::ranges::any_of(all, [&](const GroupVersion& one) {
      return one.group == row.resource.group && one.version == row.resource.version;
    });
    if (!known) all.push_back({std::string(row.resource.group), std::string(row.resource.version)});
  }
  return all;
}

// The kinds of a group version, in the order of their names.
std::vector<const ServedResource*> resources_in(const GroupVersion& wanted) {
  std::vector<const ServedResource*> rows;
  for (const ServedResource& row : described()) {
    const bool here = row.resource.group == wanted.group && row.resource.version == wanted.version;
    if (here) rows.push_back(&row);
  }
  std::ranges::sort(rows, [](const ServedResource* one, const ServedResource* other) {
    return one->resource.plural < other->resource.plural;
  });
  return rows;
}

// The verbs in the server's order: sorted for core objects, in an order of its own for custom
// resources.
Json verbs_of(const ServedResource& row) {
  if (row.resource.kind.ends_with("Review")) return Json::array({"create"});
  if (row.job_kind != nullptr) {
    return {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
  }
  Json verbs = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
  if (row.resource.plural == kube::k_namespaces.plural) verbs.erase(2);
  return verbs;
}

// The kinds that kubectl's "all" means.
constexpr std::array<std::string_view, 2> k_in_all = {"pods", "services"};

struct Subresource {
  std::string_view name;
  std::string_view kind;  // "" = the resource's own
  std::string_view group, version;
  Json verbs;
};

std::vector<Subresource> subresources_of(const ServedResource& row) {
  std::vector<Subresource> all;
  if (row.resource.plural == kube::k_pods.plural) {
    const Json streams = {"create", "get"};
    all.push_back({"attach", "PodAttachOptions", "", "v1", streams});
    all.push_back({"ephemeralcontainers", "", "", "", {"get", "patch", "update"}});
    all.push_back({"exec", "PodExecOptions", "", "v1", streams});
    all.push_back({"log", "", "", "", {"get"}});
    all.push_back({"portforward", "PodPortForwardOptions", "", "v1", streams});
  }
  const Json verbs = {"get", "patch", "update"};
  if (row.has_status) all.push_back({"status", "", "", "", verbs});
  if (row.scalable) all.push_back({"scale", "Scale", "autoscaling", "v1", verbs});
  return all;
}

Json names_of(const ServedResource& row) {
  Json names = Json::array();
  for (const std::string_view name : row.short_names) names.push_back(name);
  return names;
}

bool is_in_all(const ServedResource& row) {
  return row.job_kind == nullptr &&
         std::ranges::find(k_in_all, row.resource.plural) != k_in_all.end();
}

void add_names(Json& entry, const ServedResource& row) {
  if (!row.short_names.empty()) entry["shortNames"] = names_of(row);
  if (is_in_all(row)) entry["categories"] = Json::array({"all"});
}

Json resource_list(const GroupVersion& wanted) {
  Json list = Json::array();
  for (const ServedResource* each : resources_in(wanted)) {
    const ServedResource& row = *each;
    const kube::Resource& resource = row.resource;
    Json entry = {{"name", resource.plural},
                  {"singularName", row.singular},
                  {"namespaced", row.namespaced},
                  {"kind", resource.kind},
                  {"verbs", verbs_of(row)}};
    add_names(entry, row);
    list.push_back(std::move(entry));
    for (const Subresource& sub : subresources_of(row)) {
      Json below = {{"name", cat(resource.plural, '/', sub.name)},
                    {"singularName", ""},
                    {"namespaced", row.namespaced}};
      if (!sub.group.empty()) below["group"] = sub.group;
      if (!sub.version.empty()) below["version"] = sub.version;
      below["kind"] = sub.kind.empty() ? resource.kind : sub.kind;
      below["verbs"] = sub.verbs;
      list.push_back(std::move(below));
    }
  }
  Json answer = {{"kind", "APIResourceList"}};
  if (!wanted.group.empty()) answer["apiVersion"] = "v1";
  answer["groupVersion"] = wanted.name();
  answer["resources"] = std::move(list);
  return answer;
}

Json group_of(const GroupVersion& one) {
  const Json version = {{"groupVersion", one.name()}, {"version", one.version}};
  return {{"name", one.group}, {"versions", Json::array({version})}, {"preferredVersion", version}};
}

Json group_list() {
  Json groups = Json::array();
  for (const GroupVersion& one : group_versions()) {
    if (!one.group.empty()) groups.push_back(group_of(one));
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

Json group_answer(const GroupVersion& one) {
  Json answer = {{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  answer.update(group_of(one));
  return answer;
}

Json core_versions() {
  return {{"kind", "APIVersions"},
          {"versions", {"v1"}},
          {"serverAddressByClientCIDRs",
           Json::array({{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", "127.0.0.1"}}})}};
}

Json response_kind(std::string_view group, std::string_view version, std::string_view kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

Json aggregated_resource(const ServedResource& row) {
  const kube::Resource& resource = row.resource;
  Json entry = {{"resource", resource.plural},
                {"responseKind", response_kind(resource.group, resource.version, resource.kind)},
                {"scope", row.namespaced ? "Namespaced" : "Cluster"},
                {"singularResource", row.singular},
                {"verbs", verbs_of(row)}};
  add_names(entry, row);
  for (const Subresource& sub : subresources_of(row)) {
    const Json kind = sub.kind.empty()
                          ? response_kind(resource.group, resource.version, resource.kind)
                          : response_kind(sub.group, sub.version, sub.kind);
    entry["subresources"].push_back(
        {{"subresource", sub.name}, {"responseKind", kind}, {"verbs", sub.verbs}});
  }
  return entry;
}

// Everything below /api (core) or /apis (the named groups) in one answer.
Json aggregated(bool core) {
  Json items = Json::array();
  for (const GroupVersion& one : group_versions()) {
    if (one.group.empty() != core) continue;
    Json resources = Json::array();
    for (const ServedResource* row : resources_in(one)) {
      resources.push_back(aggregated_resource(*row));
    }
    Json metadata = Json::object();
    if (!one.group.empty()) metadata["name"] = one.group;
    items.push_back({{"metadata", std::move(metadata)},
                     {"versions", Json::array({{{"version", one.version},
                                                {"resources", std::move(resources)},
                                                {"freshness", "Current"}}})}});
  }
  return {{"kind", "APIGroupDiscoveryList"},
          {"apiVersion", "apidiscovery.k8s.io/v2"},
          {"metadata", Json::object()},
          {"items", std::move(items)}};
}

bool wants_aggregated(std::string_view accept) {
  for (const std::string& choice : split(accept, ',')) {
    std::set<std::string> words;
    for (const std::string& word : split(choice, ';')) words.emplace(trim(word));
    const bool wanted = words.contains("g=apidiscovery.k8s.io") && words.contains("v=v2") &&
                        words.contains("as=APIGroupDiscoveryList");
    if (wanted) return true;
  }
  return false;
}

#if defined(__aarch64__)
constexpr std::string_view k_platform = "linux/arm64";
#else
constexpr std::string_view k_platform = "linux/amd64";
#endif

Json version_answer() {
  return {{"major", "1"},    {"minor", "34"},      {"gitVersion", "v1.34.4+trainctl"},
          {"gitCommit", ""}, {"gitTreeState", ""}, {"buildDate", ""},
          {"goVersion", ""}, {"compiler", ""},     {"platform", k_platform}};
}

ApiAnswer json_answer(const Json& body) {
  ApiAnswer answer;
  answer.body = dump(body) + "\n";
  return answer;
}

ApiAnswer discovery_answer(bool core, std::string_view accept) {
  if (!wants_aggregated(accept)) return json_answer(core ? core_versions() : group_list());
  ApiAnswer answer = json_answer(aggregated(core));
  answer.content_type = k_aggregated;
  return answer;
}

ApiAnswer healthy() {
  ApiAnswer answer;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = "ok";
  return answer;
}

// The answer to GET /.
Json root_paths() {
  std::set<std::string> paths = {"/api",    "/apis",       "/healthz", "/livez",
                                 "/readyz", "/openapi/v3", "/version"};
  for (const GroupVersion& one : group_versions()) {
    const std::string root = one.group.empty() ? "/api" : cat("/apis/", one.group);
    paths.insert(root);
    paths.insert(cat(root, '/', one.version));
  }
  return {{"paths", paths}};
}

// /api/v1, /apis/GROUP, /apis/GROUP/VERSION and the same below /openapi/v3.
std::optional<ApiAnswer> group_paths(std::string_view path) {
  for (const GroupVersion& one : group_versions()) {
    const std::string root = one.group.empty() ? "/api" : cat("/apis/", one.group);
    const std::string whole = cat(root, '/', one.version);
    if (path == whole) return json_answer(resource_list(one));
    if (path == root && !one.group.empty()) return json_answer(group_answer(one));
    if (path == "/openapi/v3" + whole) {
      return json_answer(openapi_document(one.group, one.version));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ApiAnswer> discover(std::string_view path, std::string_view accept) {
  path = path.substr(0, path.find('?'));
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/") return json_answer(root_paths());
  if (path == "/version") return json_answer(version_answer());
  if (path == "/healthz" || path == "/livez" || path == "/readyz") return healthy();
  if (path == "/api") return discovery_answer(true, accept);
  if (path == "/apis") return discovery_answer(false, accept);
  if (path == "/openapi/v3") return json_answer(openapi_index());
  return group_paths(path);
}

}  // namespace trainctl::local
