// Builds flags that make volumes: a claim for the job, a claim for each replica that goes with its
// pod, an empty directory.
#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "kube/object/names.h"
#include "manifest/companions.h"
#include "manifest/flags/builders.h"
#include "manifest/flags/values.h"
#include "manifest/flags/volumes.h"
#include "manifest/kind/names.h"

namespace trainctl::job {
namespace {

struct AccessMode {
  const char* word;
  std::string_view mode;
};
constexpr std::array<AccessMode, 3> k_access_modes = {{{"accessmode-rwo", "ReadWriteOnce"},
                                                       {"accessmode-rom", "ReadOnlyMany"},
                                                       {"accessmode-rwm", "ReadWriteMany"}}};

Result<Json> access_modes(std::string_view text, const MountFields& fields) {
  Json modes = Json::array();
  for (const AccessMode& each : k_access_modes) {
    if (fields.contains(each.word)) modes.push_back(each.mode);
  }
  if (modes.size() > 1) return bad_value(text, "has two access modes", "leave one of them out");
  if (modes.empty()) modes.push_back("ReadWriteOnce");
  return modes;
}

Status set_name(std::string_view text, const std::string& name, Json& place) {
  if (name.empty()) return {};
  if (const auto fault = object_name_fault(name); !fault.empty()) {
    return bad_value(text, cat("has an invalid name: it ", fault));
  }
  place = name;
  return {};
}

Result<Json> claim_spec(std::string_view text, const MountFields& fields,
                        std::string_view example) {
  const std::string size = field_of(fields, "size");
  if (size.empty()) return bad_value(text, "has no size", cat("write it like ", example));
  Json spec;
  TRY_ASSIGN(spec["accessModes"], access_modes(text, fields));
  TRY_ASSIGN(spec["resources"]["requests"]["storage"], check_size(size));
  TRY(set_name(text, field_of(fields, "storageclass"), spec["storageClassName"]));
  if (spec["storageClassName"].is_null()) spec.erase("storageClassName");
  return spec;
}

// A claim that is made and deleted with its pod.
Json ephemeral_source(Json spec) {
  Json source;
  source["ephemeral"]["volumeClaimTemplate"]["spec"] = std::move(spec);
  return source;
}

// A new volume may begin as a copy of a claim or of a snapshot.
Status add_data_source(std::string_view text, const MountFields& fields, Json& spec) {
  const std::string claim = field_of(fields, "from-claim");
  const std::string snapshot = field_of(fields, "from-snapshot");
  if (claim.empty() && snapshot.empty()) return {};
  if (!claim.empty() && !snapshot.empty()) {
    return bad_value(text, "copies a claim and a snapshot", "leave out one of them");
  }
  Json source = {{"kind", k_claims.kind}};
  if (claim.empty()) {
    source = {{"apiGroup", "snapshot.storage.k8s.io"}, {"kind", "VolumeSnapshot"}};
  }
  TRY(set_name(text, claim.empty() ? snapshot : claim, source["name"]));
  spec["dataSource"] = std::move(source);
  return {};
}

// "10Gi[:fast]:/scratch", or fields.
Result<MountFields> own_claim_fields(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const bool is_short = parts.size() > 1 && text.find('=') == std::string::npos;
  if (is_short && parts.size() <= 3) {
    MountFields fields = {{"size", parts.front()}, {"path", parts.back()}};
    if (parts.size() == 3) fields["storageclass"] = parts[1];
    return fields;
  }
  TRY_ASSIGN(
      MountFields fields,
      mount_fields(text, {"path", "size", "class", "storageclass", "from-claim", "from-snapshot"},
                   {"accessmode-rwo", "accessmode-rom", "accessmode-rwm", "ro"}));
  if (fields.contains("class")) fields["storageclass"] = fields["class"];
  return fields;
}

constexpr std::string_view k_new_claim_example = "--pvc-new data:10Gi:/data";

// "data:10Gi[:fast]:/data", or Run:ai's fields.
Result<MountFields> new_claim_fields(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const bool is_short = text.find('=') == std::string::npos;
  if (is_short && (parts.size() == 3 || parts.size() == 4)) {
    MountFields fields = {{"claimname", parts[0]}, {"size", parts[1]}, {"path", parts.back()}};
    if (parts.size() == 4) fields["storageclass"] = parts[2];
    return fields;
  }
  if (is_short) {
    return bad_value(text, "is not CLAIM:SIZE[:CLASS]:/PATH",
                     cat("write it like ", k_new_claim_example));
  }
  return mount_fields(
      text, {"claimname", "path", "size", "storageclass"},
      {"accessmode-rwo", "accessmode-rom", "accessmode-rwm", "ro", "ephemeral", "delete-with-job"});
}

// A claim of its own for each replica is made with its pod.
bool is_ephemeral(const MountFields& fields) {
  return fields.contains("ephemeral");
}

// One claim for all replicas, which the job owns.
bool goes_with_job(const MountFields& fields) {
  return fields.contains("delete-with-job");
}

Status check_new_claim(const std::string& text, const MountFields& fields) {
  const std::string name = field_of(fields, "claimname");
  if (is_ephemeral(fields)) {
    if (!goes_with_job(fields)) return {};
    return bad_value(text, "has ephemeral and delete-with-job",
                     "leave out delete-with-job: an ephemeral claim is deleted with its pod");
  }
  if (name.empty()) {
    return bad_value(text, "does not name the claim", cat("write it like ", k_new_claim_example));
  }
  Json ignored;
  return set_name(text, name, ignored);
}

}  // namespace

Result<Json> build_new_pvc(const PatchInput& input) {
  std::vector<Mount> mounts;
  for (const std::string& text : input.values) {
    TRY_ASSIGN(MountFields fields, new_claim_fields(text));
    TRY(check_new_claim(text, fields));
    TRY_ASSIGN(fields["path"], mount_path(text, fields["path"]));
    TRY_ASSIGN(Json spec, claim_spec(text, fields, k_new_claim_example));
    Json source = is_ephemeral(fields) ? ephemeral_source(std::move(spec))
                                       : claim_source(field_of(fields, "claimname"));
    mounts.push_back({std::move(source), field_of(fields, "path"), fields.contains("ro")});
  }
  return mount_patch(input, mounts);
}

Result<std::vector<DependentObject>> new_claims(const std::vector<FlagUse>& uses) {
  std::vector<DependentObject> claims;
  for (const FlagUse& use : uses) {
    if (use.flag->name != "pvc-new") continue;
    for (const std::string& text : use.values) {
      TRY_ASSIGN(const MountFields fields, new_claim_fields(text));
      if (is_ephemeral(fields)) continue;
      Json claim = {{"apiVersion", k_claims.api_version()}, {"kind", k_claims.kind}};
      claim["metadata"]["name"] = field_of(fields, "claimname");
      TRY_ASSIGN(claim["spec"], claim_spec(text, fields, k_new_claim_example));
      if (goes_with_job(fields)) {
        claim["metadata"]["annotations"][std::string(k_delete_with_job_annotation)] = "true";
      }
      const auto known =
          std::ranges::find(claims, text_at(claim, "/metadata/name"), &DependentObject::name);
      if (known != claims.end() && known->object != claim) {
        return Error{Code::usage,
                     cat("--pvc-new: claim ", known->name(), " is described in two ways"),
                     "give it the same size, class, access mode and delete-with-job everywhere"};
      }
      const Sharing sharing = goes_with_job(fields) ? Sharing::none : Sharing::kept;
      if (known == claims.end()) claims.push_back({k_claims, std::move(claim), sharing});
    }
  }
  return claims;
}

Result<Json> build_ephemeral_pvc(const PatchInput& input) {
  std::vector<Mount> mounts;
  for (const std::string& text : input.values) {
    TRY_ASSIGN(MountFields fields, own_claim_fields(text));
    TRY_ASSIGN(fields["path"], mount_path(text, fields["path"]));
    TRY_ASSIGN(Json spec, claim_spec(text, fields, "--ephemeral-pvc 10Gi:/scratch"));
    TRY(add_data_source(text, fields, spec));
    mounts.push_back(
        {ephemeral_source(std::move(spec)), field_of(fields, "path"), fields.contains("ro")});
  }
  return mount_patch(input, mounts);
}

// Parses "/PATH[:SIZE]" and "/PATH:memory[:SIZE]".
Result<Json> build_scratch(const PatchInput& input) {
  std::vector<Mount> mounts;
  for (const std::string& text : input.values) {
    std::vector<std::string> parts = split(text, ':');
    TRY_ASSIGN(parts.front(), mount_path(text, parts.front()));
    Json volume = Json::object();
    if (parts.size() > 1 && parts[1] == "memory") {
      volume["medium"] = "Memory";
      parts.erase(parts.begin() + 1);
    }
    if (parts.size() > 2) {
      return bad_value(text, "is not /PATH[:memory][:SIZE]",
                       "write it like --scratch /tmp/data:10Gi");
    }
    if (parts.size() == 2) {
      TRY_ASSIGN(volume["sizeLimit"], check_size(parts.back()));
    }
    mounts.push_back({{{"emptyDir", std::move(volume)}}, parts.front()});
  }
  return mount_patch(input, mounts);
}

}  // namespace trainctl::job
