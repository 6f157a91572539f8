// Builds --git-sync: an init container that clones a repository into a volume of the pod.
#include "base/text/text.h"
#include "job/kind/names.h"
#include "job/manifest/container_variable.h"
#include "job/manifest/flag_builders.h"
#include "job/manifest/flag_values.h"
#include "job/manifest/mount.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_clone =
    "git init -q . && git remote add origin \"$GIT_REPOSITORY\" && "
    "git fetch -q --depth 1 origin \"$GIT_REVISION\" && git checkout -q FETCH_HEAD && git log -1 "
    "--oneline";
// Answers git's question with what the secret holds, which so is in no argument.
constexpr std::string_view k_answer =
    "!f() { test \"$1\" = get && echo \"username=$GIT_USERNAME\" && echo "
    "\"password=$GIT_PASSWORD\"; }; f";

// The value is not quoted in errors, since credentials may be in it.
Status check_repository(const MountFields& fields) {
  const std::string url = field_of(fields, "repository");
  const bool is_web = url.starts_with("https://") || url.starts_with("http://");
  if (!is_web) {
    return Error{Code::usage, "has no repository of https:// or http://",
                 "write it like --git-sync repository=https://HOST/PATH,path=/code"};
  }
  const std::string host = split_once(url.substr(url.find("//") + 2), '/').first;
  const bool tells = fields.contains("username") || fields.contains("password");
  if (!tells && host.find('@') == std::string::npos) return {};
  return Error{Code::usage, "would show credentials to everybody who may read the job",
               "keep username and password in a secret, and name it: secret=NAME"};
}

Json secret_variable(std::string_view name, const std::string& secret, std::string_view key) {
  return Json{{"name", name}, {"valueFrom", {{"secretKeyRef", {{"name", secret}, {"key", key}}}}}};
}

Json variables_of(const MountFields& fields) {
  const std::string commit = field_of(fields, "rev");
  const std::string revision = commit.empty() ? field_of(fields, "branch") : commit;
  const std::string secret = field_of(fields, "secret");
  // The volume belongs to root, whoever the container runs as.
  Json all = Json::array(
      {literal("GIT_REPOSITORY", field_of(fields, "repository")),
       literal("GIT_REVISION", revision.empty() ? "HEAD" : revision),
       literal("GIT_TERMINAL_PROMPT", "0"), literal("GIT_CONFIG_COUNT", secret.empty() ? "1" : "2"),
       literal("GIT_CONFIG_KEY_0", "safe.directory"), literal("GIT_CONFIG_VALUE_0", "*")});
  if (secret.empty()) return all;
  all.push_back(literal("GIT_CONFIG_KEY_1", "credential.helper"));
  all.push_back(literal("GIT_CONFIG_VALUE_1", k_answer));
  all.push_back(secret_variable("GIT_USERNAME", secret, "username"));
  all.push_back(secret_variable("GIT_PASSWORD", secret, "password"));
  return all;
}

}  // namespace

Result<Json> build_git_sync(const PatchInput& input) {
  const std::string& text = input.values.back();
  TRY_ASSIGN(MountFields fields,
             mount_fields(text, {"name", "repository", "source", "path", "target", "rev", "branch",
                                 "secret", "image", "username", "password"}));
  if (fields.contains("source")) fields["repository"] = fields["source"];
  if (fields.contains("target")) fields["path"] = fields["target"];
  TRY(check_repository(fields));
  TRY(check_mount_path(text, fields["path"]));
  if (!fields["secret"].empty())
    TRY(require(fields["secret"], object_name_fault(fields["secret"])));
  const std::string* image = other_value(input, "image");
  if (fields["image"].empty() && image != nullptr) fields["image"] = *image;
  if (fields["image"].empty()) {
    return bad_value(text, "names no image with sh and git",
                     "add image=IMAGE to it, or --image to the line");
  }
  Json patch = mount_patch(input, {{{{"emptyDir", Json::object()}}, fields["path"]}});
  Json place = {{"name", patch["volumes"][0]["name"]}, {"mountPath", fields["path"]}};
  Json init = {{"name", k_git_container},
               {"image", fields["image"]},
               {"command", Json::array({"sh", "-c", k_clone})},
               {"workingDir", fields["path"]},
               {"env", variables_of(fields)},
               {"volumeMounts", Json::array({std::move(place)})},
               {"terminationMessagePolicy", "FallbackToLogsOnError"}};
  patch["initContainers"] = Json::array({std::move(init)});
  return patch;
}

}  // namespace trainctl::job
