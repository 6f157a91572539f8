// Separates jobs from their companions, and checks the companions.
#include "manifest/companions.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "kube/object/metadata.h"
#include "manifest/check_fields.h"
#include "manifest/kind/kind.h"
#include "manifest/kind/names.h"

namespace trainctl::job {
namespace {

bool has_mode(const Json& claim, std::string_view mode) {
  const Json& modes = array_at(claim, "/spec/accessModes");
  return std::ranges::any_of(modes, [mode](const Json& one) { return one == mode; });
}

}  // namespace

bool mounts_claim(const Json& pod, std::string_view claim) {
  const Json& volumes = array_at(pod, "/spec/volumes");
  return std::ranges::any_of(volumes, [claim](const Json& volume) {
    return view_at(volume, "/persistentVolumeClaim/claimName") == claim;
  });
}

bool is_for_many_nodes(const Json& claim) {
  return has_mode(claim, "ReadWriteMany") || has_mode(claim, "ReadOnlyMany");
}

bool is_for_one_pod(const Json& claim) {
  return has_mode(claim, "ReadWriteOncePod");
}

namespace {

// The limit of the API server on all values of one object together.
constexpr std::size_t k_most_data = std::size_t{1} << 20U;

struct DataField {
  std::string_view name;
  bool encoded;  // base64
};

struct CompanionKind {
  kube::Resource resource;
  std::array<DataField, 2> fields;  // without a name: none
  bool secret = false;
  Sharing sharing = Sharing::none;
};
constexpr CompanionKind k_companion_kinds[] = {
    {k_config_maps, {{{"data", false}, {"binaryData", true}}}},
    {k_secrets, {{{"data", true}, {"stringData", false}}}, true},
    {k_training_runtimes, {}},
    {k_claims, {}, false, Sharing::kept},
};

const CompanionKind* find_companion_kind(const Json& object) {
  const auto* const found = std::ranges::find_if(k_companion_kinds, [&](const CompanionKind& row) {
    return row.resource.kind == text_at(object, "/kind") &&
           row.resource.api_version() == text_at(object, "/apiVersion");
  });
  return found == std::end(k_companion_kinds) ? nullptr : found;
}

// Only a job of the runtime's own group can name it.
bool can_use(const Json& job, const kube::Resource& companion) {
  const kube::Resource& runtimes = k_training_runtimes;
  return companion.kind != runtimes.kind || kind_of(job)->resource.group == runtimes.group;
}

bool is_list(const Json& document) {
  return text_at(document, "/apiVersion") == "v1" && text_at(document, "/kind") == "List";
}

// "PyTorchJob ddp", for messages.
std::string named(const Json& object) {
  const std::string name =
      text_at(object, "/metadata/name", text_at(object, "/metadata/generateName"));
  return printable_line(cat(text_at(object, "/kind"), name.empty() ? "" : " ", name));
}

Error no_job(std::string_view file, const Json& object) {
  std::vector<std::string> kinds;
  std::string version;
  for (const Kind& kind : job::kinds()) {
    const bool is_said = std::exchange(version, kind.resource.api_version()) == version;
    kinds.push_back(cat(is_said ? "" : version + " ", kind.resource.kind));
  }
  const std::string kind = text_at(object, "/kind");
  if (kind.empty() && file.ends_with(".sbatch")) {
    return {Code::usage, cat(file, " is a batch script, and no manifest"),
            cat("write submit before it: trainctl check submit ", file)};
  }
  if (kind.empty()) {
    return {Code::usage, cat(file, " is not a Kubernetes manifest: it has no kind"),
            cat("a manifest's kind is one of ", join(kinds, ", "))};
  }
  const std::string found = cat(text_at(object, "/apiVersion", "no apiVersion"), " ", kind);
  return {Code::usage, cat(file, ": ", printable_line(found), " is not a training job"),
          cat("it must be one of ", join(kinds, ", "))};
}

Error second_job(std::string_view file, const Json& first, const Json& second) {
  return {Code::usage,
          cat(file, " holds more than one job: ", named(first), " and ", named(second)),
          "submit takes one: put each into a file of its own"};
}

Status check_value(const Json& value, const DataField& field, const std::string& pointer,
                   std::size_t& size) {
  if (value.is_null()) return {};
  if (!value.is_string()) return manifest_fault(pointer, "is not text", "put it in quotes");
  const auto& text = value.get_ref<const std::string&>();
  if (!field.encoded) {
    size += text.size();
    return {};
  }
  const auto decoded = base64_decode(text);
  if (!decoded)
    return manifest_fault(pointer, "is not base64", "stringData of a secret takes plain text");
  size += decoded->size();
  return {};
}

Status check_data(const Json& object, const CompanionKind& kind) {
  std::size_t size = 0;
  for (const DataField& field : kind.fields) {
    if (field.name.empty()) continue;
    const std::string pointer = cat('/', field.name);
    for (const auto& [key, value] : object_at(object, pointer).items()) {
      const std::string place = cat(pointer, '/', pointer_step(key));
      if (const auto fault = data_key_fault(key); !fault.empty()) {
        return manifest_fault(place, cat("the key ", fault));
      }
      TRY(check_value(value, field, place, size));
    }
  }
  if (size <= k_most_data) return {};
  return {Error{Code::usage, cat("holds ", size, " bytes; at most ", k_most_data, " are allowed"),
                "a volume holds more: --pvc"}};
}

Status check_companion(const Json& object, const CompanionKind& kind) {
  TRY(check_encoding(object));
  TRY(check_fields(kind.resource.kind, object));
  TRY(check_data(object, kind));
  TRY(check_texts(kind.resource.kind, object));
  const std::string name = text_at(object, "/metadata/name");
  if (name.empty())
    return manifest_fault("/metadata/name", "is missing", "name it: the job refers to it by name");
  if (const auto fault = object_name_fault(name); !fault.empty()) {
    return manifest_fault("/metadata/name", cat('\'', printable_line(name), "' ", fault));
  }
  return check_metadata(object, "/metadata");
}

Status check_namespace(const Json& object, const std::string& ns) {
  const std::string own = text_at(object, "/metadata/namespace", ns);
  if (own == ns) return {};
  return manifest_fault("/metadata/namespace",
                        cat("is ", printable_line(own), ", and the job's is ", ns),
                        "a job sees such objects in its own namespace only");
}

// Shorter values are found in any text.
constexpr std::size_t k_least_secret = 4;

Sharing sharing_of(const Json& object, const CompanionKind& kind) {
  const bool is_own =
      text_at(object, kube::annotation_pointer(k_delete_with_job_annotation)) == "true";
  return is_own ? Sharing::none : kind.sharing;
}

void leave_out(std::string& text, std::string_view value) {
  if (value.size() < k_least_secret) return;
  for (auto at = text.find(value); at != std::string::npos; at = text.find(value, at)) {
    text.replace(at, value.size(), "***");
  }
}

}  // namespace

bool goes_with_its_job(const kube::Resource& resource) {
  return std::ranges::any_of(k_companion_kinds, [&resource](const CompanionKind& row) {
    return row.resource.plural == resource.plural && row.sharing != Sharing::kept;
  });
}

std::string title_of(const kube::Resource& resource, std::string_view name) {
  return cat(lower(resource.kind), '/', name);
}

Result<JobFile> sort_documents(std::vector<Json> documents, std::string_view file) {
  std::vector<Json> objects;
  for (Json& document : documents) {
    if (!is_list(document)) {
      objects.push_back(std::move(document));
      continue;
    }
    for (const Json& item : array_at(document, "/items")) objects.push_back(item);
  }
  JobFile sorted;
  for (Json& object : objects) {
    if (const CompanionKind* kind = find_companion_kind(object)) {
      const Sharing sharing = sharing_of(object, *kind);
      sorted.companions.push_back({kind->resource, std::move(object), sharing});
    } else if (kind_of(object) == nullptr) {
      sorted.others.push_back(std::move(object));
    } else if (!sorted.job.is_null()) {
      return second_job(file, sorted.job, object);
    } else {
      sorted.job = std::move(object);
    }
  }
  if (!sorted.job.is_null()) {
    for (const DependentObject& companion : sorted.companions) {
      if (!can_use(sorted.job, companion.resource)) sorted.others.push_back(companion.object);
    }
    std::erase_if(sorted.companions, [&sorted](const DependentObject& companion) {
      return !can_use(sorted.job, companion.resource);
    });
    return sorted;
  }
  if (!sorted.others.empty()) return no_job(file, sorted.others.front());
  if (!sorted.companions.empty()) return no_job(file, sorted.companions.front().object);
  return Error{Code::usage, cat(file, ": the document is empty")};
}

std::string names_of(const std::vector<Json>& objects) {
  std::vector<std::string> names;
  for (const Json& object : objects) names.push_back(named(object));
  const std::string last = std::move(names.back());
  names.pop_back();
  return cat(join(names, ", "), names.empty() ? "" : " and ", last);
}

Error refuse_others(std::string_view file, const JobFile& sorted) {
  const std::string start =
      cat(file, ": ", names_of(sorted.others), " cannot be created with the job: ");
  if (sorted.others.size() == 1 &&
      text_at(sorted.others[0], "/kind") == k_cluster_training_runtimes.kind) {
    return {Code::usage, cat(start, "it belongs to the whole cluster"),
            "move it into a file of its own and create that first, or change its kind to "
            "TrainingRuntime, here and in the job's runtimeRef"};
  }
  const bool takes_runtimes = can_use(sorted.job, k_training_runtimes);
  return {Code::usage,
          cat(start, takes_runtimes ? "config maps, secrets, claims and training runtimes can"
                                    : "config maps, secrets and claims can"),
          "move the rest into a file of its own, and create that first: kubectl apply -f FILE"};
}

Status complete_companions(std::vector<DependentObject>& companions, const std::string& ns) {
  std::set<std::string> titles;
  for (DependentObject& companion : companions) {
    const std::string title = printable_line(companion.title());
    const auto checked = [&]() -> Status {
      read_as_kubectl(companion.resource.kind, companion.object);
      TRY(check_companion(companion.object, *find_companion_kind(companion.object)));
      TRY(check_namespace(companion.object, ns));
      if (titles.insert(title).second) return {};
      return Error{Code::usage, "is in the file twice"};
    }();
    if (!checked) return in_context(title, checked.error());
    set_at(companion.object, "/metadata/namespace", ns);
  }
  return {};
}

std::string without_data(std::string text, const DependentObject& companion) {
  const CompanionKind* kind = find_companion_kind(companion.object);
  if (kind == nullptr || !kind->secret) return text;
  for (const DataField& field : kind->fields) {
    for (const auto& [key, value] : object_at(companion.object, cat('/', field.name)).items()) {
      const std::string held = text_at(value, "");
      leave_out(text, held);
      if (field.encoded) leave_out(text, base64_decode(held).value_or(""));
    }
  }
  return text;
}

}  // namespace trainctl::job
