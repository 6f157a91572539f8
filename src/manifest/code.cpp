// One projected volume joins the pieces, or a claim holds the archive; its digest is compared
// before it is unpacked.
#include "manifest/code.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "kube/object/metadata.h"
#include "manifest/flags/patch.h"
#include "manifest/kind/names.h"
#include "manifest/manifest.h"
#include "manifest/program.h"
#include "manifest/render.h"

namespace trainctl::job {
namespace {

void copy_missing(const Json& container, const std::string& place, Json& init) {
  const Json* value = find(container, place);
  if (value != nullptr && find(init, place) == nullptr) set_at(init, place, *value);
}

bool serves_transfers(std::string_view variable) {
  return variable.starts_with("AWS_") || variable.starts_with("PIP_") ||
         lower(variable).ends_with("_proxy");
}

void copy_variables(const Json& container, Json& init) {
  for (const Json& variable : array_at(container, "/env")) {
    const std::string_view name = view_at(variable, "/name");
    const bool is_there = has_named(array_at(init, "/env"), name);
    if (serves_transfers(name) && !is_there) init["env"].push_back(variable);
  }
}

// A flag may have put a directory of a claim where the init container works.
void copy_sub_paths(const Json& container, Json& init) {
  for (Json& mount : init["volumeMounts"]) {
    for (const Json& other : array_at(container, "/volumeMounts")) {
      if (view_at(other, "/mountPath") == view_at(mount, "/mountPath")) {
        copy_missing(other, "/subPath", mount);
      }
    }
  }
}

// Copies what quotas and pod security ask for in every container, where `init` does not say it:
// pull policy, security context, CPU, memory and ephemeral storage. Devices are for the program
// alone.
void copy_rights(const Json& container, Json& init) {
  copy_missing(container, "/imagePullPolicy", init);
  copy_missing(container, "/securityContext", init);
  for (const char* side : {"requests", "limits"}) {
    for (const char* amount : {"cpu", "memory", "ephemeral-storage"}) {
      copy_missing(container, cat("/resources/", side, '/', amount), init);
    }
  }
}

}  // namespace

void equip(const Kind& kind, std::string_view init_names, Json& manifest) {
  for (const Replica& replica : replicas_of(kind, manifest)) {
    const Json* container = find_container(*replica.spec, training_container(kind, *replica.spec));
    Json* inits = find_in(manifest, cat(replica.pointer, k_pod_spec, "/initContainers"));
    if (container == nullptr || inits == nullptr || !inits->is_array()) continue;
    for (Json& init : *inits) {
      if (!view_at(init, "/name").starts_with(init_names)) continue;
      copy_missing(*container, "/image", init);
      copy_rights(*container, init);
      copy_variables(*container, init);
      copy_sub_paths(*container, init);
    }
  }
}

namespace {

constexpr std::size_t k_piece = 1'000'000;  // 1,048,576 bytes are allowed
constexpr std::size_t k_short_digest = 12;
constexpr std::size_t k_names_recorded = 20;
constexpr std::string_view k_code_volume = "trainctl-code";
constexpr std::string_view k_parts_volume = "trainctl-code-parts";
constexpr std::string_view k_parts_path = "/trainctl-code";

// $0 is the digest. Not every image has sha256sum, but an image that has it checks what it unpacks.
constexpr std::string_view k_unpack =
    "set -e\n"
    "cd /trainctl-code\n"
    "if command -v sha256sum >/dev/null && [ \"`cat part-* | sha256sum`\" != \"$0  -\" ]; then\n"
    "  echo 'the config maps do not hold the code that was sent' >&2\n"
    "  exit 1\n"
    "fi\n"
    "cat part-* | tar xzf - -C /code\n";

// Pods of others may write to a claim at any moment: what is unpacked is a copy of the pod's own,
// and an image without sha256sum cannot check it. $0 is the digest, $1 the name of the archive, $2
// how users call its directory, $3 the archive's size.
constexpr std::string_view k_unpack_from_claim =
    "set -e\n"
    "cd /trainctl-code\n"
    "if ! [ -f \"$1\" ]; then\n"
    "  echo \"$1 is missing in $2: submit with --code again, which sends it\" >&2\n"
    "  exit 3\n"
    "fi\n"
    "if ! command -v sha256sum >/dev/null; then\n"
    "  echo 'the image has no sha256sum: --code-image names one that does, such as busybox' >&2\n"
    "  exit 3\n"
    "fi\n"
    "head -c \"$3\" <\"$1\" >\"/code/$1\"\n"
    "if [ \"`sha256sum <\"/code/$1\"`\" != \"$0  -\" ]; then\n"
    "  rm \"/code/$1\"\n"
    "  echo \"$1 in $2 is not the code that was sent: submit with --code again\" >&2\n"
    "  exit 3\n"
    "fi\n"
    "tar xzf \"/code/$1\" -C /code\n"
    "rm \"/code/$1\"\n";
constexpr std::string_view k_archives = ".trainctl/code";

std::string short_digest(const PackedCode& code) {
  return code.digest.substr(0, k_short_digest);
}

std::string map_name(const PackedCode& code, std::size_t number) {
  return cat("trainctl-code-", short_digest(code), '-', number);
}

std::size_t pieces_of(const PackedCode& code) {
  return static_cast<std::size_t>((code.size + k_piece - 1) / k_piece);
}

Json record_of(const PackedCode& code) {
  Json record = {
      {"digest", cat("sha256:", code.digest)}, {"size", code.size}, {"files", code.files}};
  if (!code.claim.name.empty()) record["claim"] = code.claim.words();
  const CodeRevision& revision = code.revision;
  if (revision.commit.empty()) return record;
  record["commit"] = revision.commit;
  record["changed"] = revision.changed.size() + revision.untracked.size();
  Json names = Json::array();
  for (const auto* list : {&revision.changed, &revision.untracked}) {
    for (const std::string& name : *list) {
      if (names.size() < k_names_recorded) names.push_back(printable_line(name));
    }
  }
  if (!names.empty()) record["changedFiles"] = std::move(names);
  return record;
}

Json volumes_of(const PackedCode& code) {
  Json archive = {{"name", k_parts_volume}};
  if (!code.claim.name.empty()) {
    archive["persistentVolumeClaim"] = {{"claimName", code.claim.name}};
  } else {
    Json sources = Json::array();
    for (std::size_t number = 1; number <= pieces_of(code); ++number) {
      sources.push_back({{"configMap", {{"name", map_name(code, number)}}}});
    }
    archive["projected"] = {{"sources", std::move(sources)}};
  }
  return Json::array({{{"name", k_code_volume}, {"emptyDir", Json::object()}}, std::move(archive)});
}

Json unpacking_command(const PackedCode& code) {
  if (code.claim.name.empty()) return Json::array({"sh", "-c", k_unpack, code.digest});
  return Json::array({"sh", "-c", k_unpack_from_claim, code.digest, code.archive_name(),
                      cat("claim ", code.claim.name, ", directory ", code.claim.archives()),
                      cat(code.size)});
}

bool holds_code(const Json& container) {
  const Json& mounts = array_at(container, "/volumeMounts");
  return std::ranges::any_of(mounts, [](const Json& one) {
    return text_at(one, "/name") == k_code_volume && text_at(one, "/mountPath") == k_code_path;
  });
}

}  // namespace

std::string CodeClaim::archives() const {
  return directory.empty() ? std::string(k_archives) : cat(directory, '/', k_archives);
}

std::string CodeClaim::words() const {
  return directory.empty() ? name : cat(name, ':', directory);
}

std::string PackedCode::archive_name() const {
  return cat(digest, ".tar.gz");
}

Result<CodeClaim> parse_code_claim(std::string_view text) {
  const Halves halves = split_once(text, ':');
  if (const auto fault = object_name_fault(halves.first); !fault.empty()) {
    return Error{Code::usage, fault, "write CLAIM or CLAIM:SUBPATH"};
  }
  CodeClaim claim{halves.first, ""};
  for (const std::string& step : split(halves.second, '/')) {
    if (step.empty() || step == ".") continue;
    if (step == "..") {
      return Error{Code::usage, cat('\'', printable_line(text), "' has '..' in its path"),
                   "write CLAIM or CLAIM:SUBPATH"};
    }
    claim.directory += cat(claim.directory.empty() ? "" : "/", step);
  }
  return claim;
}

std::vector<DependentObject> code_maps(const PackedCode& code, std::string_view archive,
                                       std::string_view owner) {
  std::vector<DependentObject> maps;
  for (std::size_t number = 1; number <= pieces_of(code); ++number) {
    Json labels = {{"app.kubernetes.io/managed-by", "trainctl"},
                   {std::string(k_label_code), short_digest(code)}};
    if (const std::string value = as_label_value(owner); !value.empty()) {
      labels[std::string(k_label_owner)] = value;
    }
    const std::string_view piece = archive.substr((number - 1) * k_piece, k_piece);
    maps.push_back(
        {k_config_maps,
         {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", map_name(code, number)}, {"labels", std::move(labels)}}},
          {"immutable", true},
          {"binaryData", {{cat("part-", number), base64_encode(piece)}}}},
         Sharing::by_content});
  }
  return maps;
}

Status mount_code(const Kind& kind, const PackedCode& code, Json& manifest) {
  const auto replicas = replicas_of(kind, manifest);
  if (runs_by_runtime(kind) || replicas.empty()) {
    return Error{Code::usage, cat("--code: ", kind.resource.kind, "s have no templates of pods"),
                 ""};
  }
  for (const Replica& replica : replicas) {
    merge_into_pod(manifest, replica, {{"volumes", volumes_of(code)}});
    merge_into_container(
        kind, manifest, replica,
        {{"workingDir", k_code_path},
         {"volumeMounts", Json::array({kube::volume_mount(k_code_volume, k_code_path)})}});
  }
  set_at(manifest, kube::annotation_pointer(k_label_code), dump(record_of(code)));
  return {};
}

Status unpack_code(const Kind& kind, const PackedCode& code, Json& manifest) {
  for (const Replica& replica : replicas_of(kind, manifest)) {
    const Json* container = find_container(*replica.spec, training_container(kind, *replica.spec));
    if (container == nullptr || !holds_code(*container)) {
      return Error{Code::usage, cat("--code: something else is mounted at ", k_code_path),
                   "mount that at another path"};
    }
    Json init = {{"name", k_code_container},
                 {"image", code.image.empty() ? text_at(*container, "/image") : code.image},
                 {"command", unpacking_command(code)},
                 {"volumeMounts", Json::array({kube::volume_mount(k_parts_volume, k_parts_path),
                                               kube::volume_mount(k_code_volume, k_code_path)})},
                 {"terminationMessagePolicy", "FallbackToLogsOnError"}};
    init["volumeMounts"][0]["readOnly"] = true;
    // Null, so that another run with config maps does not keep the path in a claim.
    const bool has_claim = !code.claim.name.empty();
    init["volumeMounts"][0]["subPath"] = has_claim ? Json(code.claim.archives()) : Json(nullptr);
    copy_rights(*container, init);
    merge_into_pod(manifest, replica, {{"initContainers", Json::array({std::move(init)})}});
  }
  return {};
}

Json code_of(const Json& job) {
  const std::string text = text_at(job, kube::annotation_pointer(k_label_code));
  if (text.empty()) return nullptr;
  // Anybody may have written it.
  const auto read = parse_json(text, "annotation");
  if (!read || !read->is_object() || text_at(*read, "/digest").empty()) return nullptr;
  Json record = {{"digest", text_at(*read, "/digest")}};
  for (const char* number : {"size", "files"}) {
    if (const auto value = int_at(*read, cat('/', number))) record[number] = *value;
  }
  if (!text_at(*read, "/claim").empty()) record["claim"] = text_at(*read, "/claim");
  if (text_at(*read, "/commit").empty()) return record;
  record["commit"] = text_at(*read, "/commit");
  record["changed"] = int_at(*read, "/changed").value_or(0);
  for (const Json& name : array_at(*read, "/changedFiles")) {
    if (name.is_string()) record["changedFiles"].push_back(name);
  }
  return record;
}

std::string code_words(const Json& job) {
  const Json record = code_of(job);
  if (record.is_null()) return "";
  constexpr std::size_t k_shown = sizeof("sha256:") - 1 + k_short_digest;
  std::string words = text_at(record, "/digest").substr(0, k_shown);
  const auto files = int_at(record, "/files");
  if (files) words += cat(", ", plural(*files, "file"));
  const std::string claim = printable_line(text_at(record, "/claim"));
  if (!claim.empty()) words += cat(", in claim ", claim);
  const std::string commit = text_at(record, "/commit").substr(0, k_short_digest);
  if (commit.empty()) return words;
  words += cat(", commit ", commit);
  const auto changed = int_at(record, "/changed").value_or(0);
  if (changed == 0) return words;
  std::vector<std::string> names;
  for (const Json& name : array_at(record, "/changedFiles")) names.push_back(text_at(name, ""));
  const bool has_more = changed > static_cast<std::int64_t>(names.size());
  return cat(words, " and ", plural(changed, "changed file"), " (", join(names, ", "),
             has_more ? ", …" : "", ")");
}

}  // namespace trainctl::job
