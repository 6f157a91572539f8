// Builds the rows of services, events, config maps, secrets, claims, namespaces, accounts and
// nodes.
#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "local/api/table_cells.h"

namespace trainctl::local {

namespace {

constexpr Column k_age{.name = "Age"};

constexpr Column k_plain_columns[] = {k_name_column, k_age};
constexpr Column k_service_columns[] = {
    k_name_column,
    {.name = "Type"},
    {.name = "Cluster-IP"},
    {.name = "External-IP"},
    {.name = "Port(s)"},
    k_age,
    {.name = "Selector", .priority = 1},
};
constexpr Column k_event_columns[] = {
    {.name = "Last Seen"},
    {.name = "Type"},
    {.name = "Reason"},
    {.name = "Object"},
    {.name = "Subobject", .priority = 1},
    {.name = "Source", .priority = 1},
    {.name = "Message"},
    {.name = "First Seen", .priority = 1},
    {.name = "Count", .priority = 1},
    {.name = "Name", .format = "name", .priority = 1},
};
constexpr Column k_data_columns[] = {k_name_column, {.name = "Data"}, k_age};
constexpr Column k_secret_columns[] = {k_name_column, {.name = "Type"}, {.name = "Data"}, k_age};
constexpr Column k_account_columns[] = {k_name_column, {.name = "Secrets"}, k_age};
constexpr Column k_namespace_columns[] = {k_name_column, {.name = "Status"}, k_age};
constexpr Column k_claim_columns[] = {
    k_name_column,
    {.name = "Status"},
    {.name = "Volume"},
    {.name = "Capacity"},
    {.name = "Access Modes"},
    {.name = "StorageClass"},
    {.name = "VolumeAttributesClass"},
    k_age,
    {.name = "VolumeMode", .priority = 1},
};
constexpr Column k_node_columns[] = {
    k_name_column,
    {.name = "Status"},
    {.name = "Roles"},
    k_age,
    {.name = "Version"},
    {.name = "Internal-IP", .priority = 1},
    {.name = "External-IP", .priority = 1},
    {.name = "OS-Image", .priority = 1},
    {.name = "Kernel-Version", .priority = 1},
    {.name = "Container-Runtime", .priority = 1},
};

std::string shown_name(const Json& object) {
  return text_at(object, "/metadata/name");
}

std::string or_none(std::string text) {
  return text.empty() ? "<none>" : text;
}

std::string joined(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& one : list) texts.push_back(text_at(one, ""));
  return join(texts, ",");
}

Json plain_cells(const Json& object, Time now) {
  return Json::array({shown_name(object), age_of(object, now)});
}

std::string external_address(const Json& service) {
  const std::string type = text_at(service, "/spec/type");
  if (type == "ExternalName") return text_at(service, "/spec/externalName");
  const std::string addresses = joined(array_at(service, "/spec/externalIPs"));
  if (type == "LoadBalancer" && addresses.empty()) return "<pending>";
  if (type.empty()) return "<unknown>";
  return or_none(addresses);
}

std::string port_words(const Json& service) {
  std::vector<std::string> words;
  for (const Json& port : array_at(service, "/spec/ports")) {
    const auto outside = int_at(port, "/nodePort").value_or(0);
    words.push_back(cat(int_at(port, "/port").value_or(0),
                        outside > 0 ? cat(':', outside) : std::string(), '/',
                        text_at(port, "/protocol")));
  }
  return or_none(join(words, ","));
}

std::string selector_words(const Json& selector) {
  std::vector<std::string> words;
  for (const auto& [key, value] : selector.items())
    words.push_back(cat(key, '=', text_at(value, "")));
  std::ranges::sort(words);
  return or_none(join(words, ","));
}

Json service_cells(const Json& service, Time now) {
  return Json::array({shown_name(service), text_at(service, "/spec/type"),
                      text_at(service, "/spec/clusterIPs/0", "<none>"), external_address(service),
                      port_words(service), age_of(service, now),
                      selector_words(object_at(service, "/spec/selector"))});
}

std::string source_words(const Json& event) {
  const std::string component =
      text_at(event, "/source/component", text_at(event, "/reportingComponent"));
  const std::string host = text_at(event, "/source/host", text_at(event, "/reportingInstance"));
  return host.empty() ? component : cat(component, ", ", host);
}

std::string involved_words(const Json& event) {
  const std::string kind = lower(text_at(event, "/involvedObject/kind"));
  const std::string name = text_at(event, "/involvedObject/name");
  return name.empty() ? kind : cat(kind, '/', name);
}

Json event_cells(const Json& event, Time now) {
  const bool old_style = !text_at(event, "/firstTimestamp").empty();
  const std::string first = age_at(event, old_style ? "/firstTimestamp" : "/eventTime", now);
  std::string last =
      text_at(event, "/lastTimestamp").empty() ? first : age_at(event, "/lastTimestamp", now);
  std::int64_t count = std::max<std::int64_t>(1, int_at(event, "/count").value_or(0));
  if (find(event, "/series") != nullptr) {
    last = age_at(event, "/series/lastObservedTime", now);
    count = int_at(event, "/series/count").value_or(0);
  }
  return Json::array({last, text_at(event, "/type"), text_at(event, "/reason"),
                      involved_words(event), text_at(event, "/involvedObject/fieldPath"),
                      source_words(event), std::string(trim(text_at(event, "/message"))), first,
                      count, shown_name(event)});
}

Json config_map_cells(const Json& object, Time now) {
  const auto count = object_at(object, "/data").size() + object_at(object, "/binaryData").size();
  return Json::array({shown_name(object), count, age_of(object, now)});
}

Json secret_cells(const Json& secret, Time now) {
  return Json::array({shown_name(secret), text_at(secret, "/type"),
                      object_at(secret, "/data").size(), age_of(secret, now)});
}

Json account_cells(const Json& account, Time now) {
  return Json::array(
      {shown_name(account), array_at(account, "/secrets").size(), age_of(account, now)});
}

Json namespace_cells(const Json& object, Time now) {
  return Json::array({shown_name(object), text_at(object, "/status/phase"), age_of(object, now)});
}

std::string access_words(const Json& modes) {
  constexpr std::pair<std::string_view, std::string_view> k_short[] = {
      {"ReadWriteOnce", "RWO"},
      {"ReadOnlyMany", "ROX"},
      {"ReadWriteMany", "RWX"},
      {"ReadWriteOncePod", "RWOP"},
  };
  std::vector<std::string> words;
  for (const auto& [mode, word] : k_short) {
    if (std::ranges::find(modes, Json(mode)) != modes.end()) words.emplace_back(word);
  }
  return join(words, ",");
}

Json claim_cells(const Json& claim, Time now) {
  const bool leaves = kube::is_being_deleted(claim);
  const std::string volume = text_at(claim, "/spec/volumeName");
  const Json& status = object_at(claim, "/status");
  return Json::array({shown_name(claim), leaves ? "Terminating" : text_at(status, "/phase"), volume,
                      volume.empty() ? "" : text_at(status, "/capacity/storage"),
                      volume.empty() ? "" : access_words(array_at(status, "/accessModes")),
                      text_at(claim, "/spec/storageClassName"),
                      text_at(claim, "/spec/volumeAttributesClassName", "<unset>"),
                      age_of(claim, now), text_at(claim, "/spec/volumeMode", "<unset>")});
}

std::string node_status(const Json& node) {
  std::string status = "Unknown";
  for (const Json& condition : array_at(node, "/status/conditions")) {
    if (text_at(condition, "/type") != "Ready") continue;
    status = text_at(condition, "/status") == "True" ? "Ready" : "NotReady";
  }
  return true_at(node, "/spec/unschedulable") ? status + ",SchedulingDisabled" : status;
}

std::string node_roles(const Json& node) {
  constexpr std::string_view k_role_prefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : object_at(node, "/metadata/labels").items()) {
    if (key.starts_with(k_role_prefix)) roles.insert(key.substr(k_role_prefix.size()));
    if (key == "kubernetes.io/role") roles.insert(text_at(value, ""));
  }
  roles.erase("");
  return or_none(join(std::vector<std::string>(roles.begin(), roles.end()), ","));
}

std::string node_address(const Json& node, std::string_view type) {
  for (const Json& address : array_at(node, "/status/addresses")) {
    if (text_at(address, "/type") == type) return text_at(address, "/address");
  }
  return "<none>";
}

Json node_cells(const Json& node, Time now) {
  const Json& info = object_at(node, "/status/nodeInfo");
  return Json::array({shown_name(node), node_status(node), node_roles(node), age_of(node, now),
                      text_at(info, "/kubeletVersion"), node_address(node, "InternalIP"),
                      node_address(node, "ExternalIP"), text_or(info, "/osImage", "<unknown>"),
                      text_or(info, "/kernelVersion", "<unknown>"),
                      text_or(info, "/containerRuntimeVersion", "<unknown>")});
}

struct PluralRows {
  std::string_view plural;
  RowView view;
};
const PluralRows k_views[] = {
    {"services", {k_service_columns, service_cells}},
    {"events", {k_event_columns, event_cells}},
    {"configmaps", {k_data_columns, config_map_cells}},
    {"secrets", {k_secret_columns, secret_cells}},
    {"persistentvolumeclaims", {k_claim_columns, claim_cells}},
    {"namespaces", {k_namespace_columns, namespace_cells}},
    {"serviceaccounts", {k_account_columns, account_cells}},
    {"nodes", {k_node_columns, node_cells}},
};

}  // namespace

RowView core_rows(std::string_view plural) {
  const auto* const row =
      std::ranges::find_if(k_views, [&](const PluralRows& one) { return one.plural == plural; });
  return row == std::end(k_views) ? RowView{k_plain_columns, plain_cells} : row->view;
}

}  // namespace trainctl::local
