// Reads template or file, overlays and flags, then renders and checks the manifest.
#include "work/create/manifest.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text/text.h"
#include "base/value/yaml.h"
#include "kube/object/metadata.h"
#include "kube/object/names.h"
#include "manifest/check.h"
#include "manifest/check_fields.h"
#include "manifest/companions.h"
#include "manifest/environment.h"
#include "manifest/flags/flags.h"
#include "manifest/flags/values.h"
#include "manifest/kept_values.h"
#include "manifest/program.h"
#include "manifest/rerun.h"
#include "manifest/templates.h"
#include "work/access.h"
#include "work/create/local_manifest.h"

namespace trainctl::work {
namespace {

// Larger than any object that etcd takes.
constexpr std::size_t k_env_file_limit = std::size_t{1} << 20U;

Result<std::vector<std::string>> variables_in(Access& access, const std::string& path) {
  auto text = access.files.read(path);
  if (!text) return Error{Code::usage, text.error().message, text.error().hint};
  if (text->size() > k_env_file_limit) {
    return Error{Code::usage, cat(path, ": is larger than 1 MiB"),
                 "put large values into a volume: --pvc CLAIM:/PATH"};
  }
  auto variables = job::env_file_variables(*text);
  if (!variables) return in_context(path, std::move(variables).error());
  return variables;
}

// Puts the variables in place of the files' names. Errors are Code::usage and name flag and file.
Status read_env_files(Access& access, std::vector<job::FlagUse>& flags) {
  for (job::FlagUse& use : flags) {
    if (use.flag->name != "env-file") continue;
    std::vector<std::string> all;
    for (const std::string& path : use.values) {
      auto variables = variables_in(access, path);
      if (!variables) return in_context(use.spelled(), std::move(variables).error());
      std::move(variables->begin(), variables->end(), std::back_inserter(all));
    }
    use.values = std::move(all);
  }
  // A file without variables says nothing.
  std::erase_if(flags, [](const job::FlagUse& use) {
    return use.flag->name == "env-file" && use.values.empty();
  });
  return {};
}

constexpr std::size_t k_manifest_limit = std::size_t{16} << 20;

// A missing file is a mistake on the command line, not a missing job.
Error as_usage(Error error) {
  error.code = Code::usage;
  return error;
}

std::string shown_path(const std::string& path) {
  return path == "-" ? "stdin" : path;
}

Result<std::string> read_text(Access& access, const std::string& path) {
  auto text = path == "-" ? access.console.read_all(k_manifest_limit) : access.files.read(path);
  if (!text && path.find("://") != std::string::npos) {
    return Error{Code::usage, cat(printable_line(path), ": a manifest is a file, not a URL"),
                 "download it first: curl -fsSL URL | trainctl submit -"};
  }
  if (!text) return as_usage(std::move(text).error());
  return text;
}

Result<Json> read_yaml(Access& access, const std::string& path) {
  TRY_ASSIGN(const std::string text, read_text(access, path));
  return from_yaml(text, shown_path(path));
}

// The output of kubectl get -o yaml is a file for a new job, too.
void leave_out_records(Access& access, const std::string& name, Json& object) {
  if (!job::is_exported(object)) return;
  object = job::submitted_manifest(object);
  access.console.notice(cat(name, ": leaving out what the cluster wrote into ",
                            printable_line(text_at(object, "/kind")), ' ',
                            printable_line(text_at(object, "/metadata/name"))));
}

Status read_base(Access& access, const ManifestSource& source, job::RenderInput& input,
                 std::vector<job::DependentObject>& companions) {
  if (source.earlier) {
    input.manifest = source.earlier->job;
    input.is_template = false;
    input.kind = job::kind_of(input.manifest);
    return {};
  }
  if (!source.file.empty()) {
    const std::string name = shown_path(source.file);
    TRY_ASSIGN(const std::string text, read_text(access, source.file));
    auto documents = from_yaml_stream(text, name);
    if (!documents) {
      TRY(job::check_no_template(text, name, nullptr));
      return std::move(documents).error();
    }
    TRY_ASSIGN(auto file, job::sort_documents(*std::move(documents), name));
    TRY(job::check_no_template(text, name, file.job));
    leave_out_records(access, name, file.job);
    for (job::DependentObject& one : file.companions) leave_out_records(access, name, one.object);
    if (!file.others.empty()) {
      if (!source.ignores_others) return job::refuse_others(name, file);
      access.console.notice(cat("leaving out ", job::names_of(file.others),
                                ", which must exist before the job: kubectl apply -f FILE"));
    }
    input.manifest = std::move(file.job);
    companions = std::move(file.companions);
    input.is_template = false;
    input.kind = job::kind_of(input.manifest);
    return {};
  }
  input.kind = source.kind;
  auto found =
      job::find_template(access.files, access.environment, *source.kind, source.template_path);
  if (!found) return as_usage(std::move(found).error());
  TRY_ASSIGN(input.manifest, job::read_template(*found, *source.kind));
  return {};
}

// In Run:ai, --replicas means --workers; other users may take it for the number of pods.
void warn_of_replicas(Access& access, const job::Kind& kind,
                      const std::vector<job::FlagUse>& flags) {
  const bool led = std::ranges::any_of(
      kind.roles, [](const job::Role& role) { return role.leads() && role.default_count > 0; });
  if (!led || !job::given(flags, "replicas") || job::given(flags, "no-master")) return;
  access.console.warn(cat("--replicas sets the number of workers, as --workers does: the ",
                          kind.roles.front().prefix,
                          " is one more pod, unless --no-master is given"));
}

// The namespace: -n, else the manifest's own, else the kubeconfig's.
Result<std::string> namespace_of(Access& access, const Json& manifest) {
  TRY(job::check_field(manifest, "/metadata/namespace", job::check_object_name));
  const std::string own = text_at(manifest, "/metadata/namespace");
  const std::string& asked = access.named_ns();
  if (own.empty()) return access.ns();
  if (!asked.empty() && asked != own) {
    return Error{Code::usage,
                 cat("the manifest is for namespace ", own, ", --namespace says ", asked),
                 "leave out --namespace, or take the namespace out of the manifest"};
  }
  return own;
}

// A line whose files have been read, before it is rendered.
struct ReadLine {
  job::RenderInput input;
  std::vector<job::DependentObject> companions;
  std::shared_ptr<const SentCode> sent = {};
  std::shared_ptr<CodeForClaim> for_claim = {};
};

Status add_code(Access& access, const ManifestSource& source, ReadLine& line) {
  const CodeSource& wanted = source.code;
  if (wanted.directory.empty()) {
    if (wanted.included.empty() && wanted.claim.empty()) return {};
    return Error{
        Code::usage,
        cat(wanted.claim.empty() ? "--code-include" : "--code-claim", ": there is no --code"),
        "--code . sends this directory"};
  }
  TRY_ASSIGN(CodeArchive archive, pack_code(access, wanted));
  if (wanted.claim.empty()) {
    auto maps = job::code_maps(archive.code, archive.bytes, access.user_name());
    std::move(maps.begin(), maps.end(), std::back_inserter(line.companions));
  } else {
    line.for_claim =
        std::make_shared<CodeForClaim>(CodeForClaim{archive.code, std::move(archive.bytes)});
  }
  line.input.code = std::move(archive.code);
  line.sent = std::make_shared<const SentCode>(std::move(archive.sent));
  return {};
}

// The hint has the line that was probably meant.
Error no_program(const job::Kind& kind, const Json& manifest,
                 const std::vector<std::string>& words) {
  Error error{Code::usage,
              cat("words after -- replace the whole command of this job, and ",
                  shell_quoted(words.front()), " is no program"),
              "begin with the program, as in -- python3 train.py --epochs 90"};
  std::vector<std::string> meant = job::command_with_options(kind, manifest, words);
  if (meant.empty()) return error;
  for (std::string& word : meant) word = shell_quoted(word);
  const std::string name = text_at(manifest, kube::annotation_pointer(job::k_rerun_annotation));
  error.hint = cat("write it whole: trainctl rerun ", name, " -- ", join(meant, " "));
  return error;
}

Result<ReadLine> read_line(Access& access, const ManifestSource& source) {
  ReadLine line;
  job::RenderInput& input = line.input;
  TRY(read_base(access, source, input, line.companions));
  for (const std::string& path : source.overlays) {
    TRY_ASSIGN(Json overlay, read_yaml(access, path));
    if (!overlay.is_object()) {
      return Error{Code::usage,
                   cat(path, ": an overlay is a part of a manifest, not ",
                       overlay.is_array() ? "a list" : "a single value"),
                   "write the fields as in a manifest: spec: {runPolicy: {…}}"};
    }
    input.overlays.push_back(std::move(overlay));
  }
  if (source.flags) {
    TRY_ASSIGN(input.flags, source.flags(*input.kind));
    TRY(read_env_files(access, input.flags));
  }
  warn_of_replicas(access, *input.kind, input.flags);
  input.words = source.words;
  input.words_were_command = source.earlier && !source.words.empty() &&
                             job::words_were_command(*input.kind, input.manifest);
  // The embedded cluster has no image whose entry point could take arguments.
  const bool lacks_entry_point = access.embedded && !job::has_command(*input.kind, input.manifest);
  const bool are_whole_line = source.earlier && !source.words.empty() &&
                              (job::words_are_command(input) || lacks_entry_point);
  if (are_whole_line && source.words.front().starts_with('-')) {
    return no_program(*input.kind, input.manifest, source.words);
  }
  input.set = source.set;
  TRY_ASSIGN(input.ns, namespace_of(access, input.manifest));
  if (input.is_template || source.earlier) input.owner = access.user_name();
  input.environment = access.environment;
  TRY(add_code(access, source, line));
  return line;
}

// The history does not keep every value; flags may have given those that are missing.
Status check_remembered(const ManifestSource& source, const Json& manifest) {
  const auto missing = job::values_left_out(manifest);
  if (!source.remembered || !missing.any()) return {};
  const std::string name =
      text_at(manifest, kube::annotation_pointer(job::k_rerun_annotation), "JOB");
  Error error{Code::usage,
              cat("the history left out part of the manifest of job ", name, ": ",
                  printable_line(missing.names())),
              cat("complete the manifest and submit it: trainctl history ",
                  source.remembered->number, " -o manifest")};
  const std::string& typed = source.remembered->line;
  if (!typed.empty() && !job::values_left_out(typed).any()) {
    error.hint = cat("submit it anew with the line that created it: ", typed);
    return error;
  }
  if (missing.arguments || missing.others) return error;
  const std::vector<std::string> names(missing.variables.begin(), missing.variables.end());
  error.hint = cat("give the values again, as those of your own environment: trainctl rerun ", name,
                   " -e ", printable_line(join(names, " -e ")));
  return error;
}

// Renders and checks.
Result<Manifest> render_line(Access& access, const ManifestSource& source, ReadLine line) {
  job::RenderInput& input = line.input;
  TRY_ASSIGN(Json object, job::render(input));
  if (source.idle) job::make_idle(input, object);
  TRY(job::check_manifest(*input.kind, object));
  TRY_ASSIGN(auto claims, job::new_claims(input.flags));
  std::move(claims.begin(), claims.end(), std::back_inserter(line.companions));
  TRY(job::complete_companions(line.companions, input.ns));
  if (access.embedded) {
    TRY(access.embedded->check_kind(*input.kind));
    const std::string directory =
        source.directory.empty() ? access.working_directory() : source.directory;
    localize(*input.kind, access.environment, directory, this_machine(), object);
  }
  TRY(check_remembered(source, object));
  Manifest manifest{input.kind, input.ns, std::move(object), std::move(line.companions)};
  manifest.sent = std::move(line.sent);
  manifest.for_claim = std::move(line.for_claim);
  if (manifest.for_claim && !manifest.for_claim->plan) {
    const auto plans = job::pod_plans(*input.kind, manifest.object);
    if (!plans.empty()) manifest.for_claim->plan = plans.front();
  }
  if (source.earlier) manifest.earlier = source.earlier->companions;
  manifest.line = std::make_shared<const job::RenderInput>(std::move(input));
  return manifest;
}

// Says what the embedded cluster will not do for the job.
void tell_what_is_not_kept(Access& access, const Manifest& manifest) {
  if (!access.embedded) return;
  for (const std::string& what :
       not_kept_locally(*manifest.kind, manifest.object, manifest.companions, access.environment,
                        this_machine())) {
    access.console.notice(what);
  }
}

// A name of the line, else one that no other array has.
std::string name_for_array(Access& access, const job::RenderInput& line) {
  std::string name = job::given_name(line);
  if (!name.empty()) return name;
  std::string prefix = cat(line.kind->alias, '-');
  for (const job::FlagUse& use : line.flags) {
    if (use.flag->name == "job-name-prefix") prefix = cat(use.values.back(), '-');
  }
  return prefix + kube::generated_tail(access.unique_id());
}

Status check_array_line(const ReadLine& line, const std::vector<job::ArrayAxis>& axes) {
  TRY(job::check_axes_used(line.input, axes));
  for (const job::DependentObject& companion : line.companions) {
    if (companion.sharing != job::Sharing::none) continue;
    return Error{Code::usage,
                 cat("--array: ", companion.title(), " of the file can belong to only one job"),
                 "create it first, in a command of its own, and leave it out of the file"};
  }
  return {};
}

// An object that is deleted with its job can have one job.
Status check_companions_differ(const std::vector<Manifest>& members) {
  std::set<std::string> titles;
  for (const Manifest& member : members) {
    for (const job::DependentObject& companion : member.companions) {
      if (companion.sharing != job::Sharing::none) continue;
      if (titles.insert(companion.title()).second) continue;
      return Error{
          Code::usage,
          cat("--array: ", companion.title(), " would be deleted with one job while others use it"),
          cat("make one for each job, as in claimname=", companion.name(), "-{index}")};
    }
  }
  return {};
}

Status check_names_differ(const std::vector<Manifest>& members, const std::string& name) {
  std::set<std::string> names;
  for (const Manifest& member : members) {
    if (names.insert(text_at(member.object, "/metadata/name")).second) continue;
    return Error{Code::usage,
                 cat("--name ", name, " gives several jobs of the array the same name"),
                 "add the number: --name sweep-{index}"};
  }
  return {};
}

}  // namespace

Result<Manifest> build_manifest(Access& access, const ManifestSource& source) {
  TRY_ASSIGN(ReadLine line, read_line(access, source));
  TRY_ASSIGN(Manifest manifest, render_line(access, source, std::move(line)));
  if (source.notices == LocalNotices::print) tell_what_is_not_kept(access, manifest);
  return manifest;
}

Result<JobArray> build_array(Access& access, const ManifestSource& source,
                             const std::vector<job::ArrayAxis>& axes, long limit) {
  TRY_ASSIGN(const auto combinations, job::array_members(axes, limit));
  TRY_ASSIGN(const ReadLine line, read_line(access, source));
  TRY(check_array_line(line, axes));
  const std::string name = name_for_array(access, line.input);
  JobArray array;
  TRY_ASSIGN(array.name, job::array_name(name));
  for (const job::ArrayMember& member : combinations) {
    ReadLine own{job::member_line(line.input, member, name, array.name), line.companions, line.sent,
                 line.for_claim};
    TRY_ASSIGN(array.members.emplace_back(), render_line(access, source, std::move(own)));
  }
  TRY(check_names_differ(array.members, name));
  TRY(check_companions_differ(array.members));
  tell_what_is_not_kept(access, array.members.front());
  return array;
}

}  // namespace trainctl::work
