// Builds --git-sync, --download and --with: init containers that bring files into a volume of the
// pod.
#include <map>
#include <vector>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/environment.h"
#include "manifest/flags/builders.h"
#include "manifest/flags/values.h"
#include "manifest/flags/volumes.h"
#include "manifest/kind/names.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_clone =
    "git init -q . && { git remote add origin \"$GIT_REPOSITORY\" 2>/dev/null || :; } && "
    "git fetch -q --depth 1 origin \"$GIT_REVISION\" && git checkout -q -f FETCH_HEAD && git log "
    "-1 "
    "--oneline";
// Answers git's question with what the secret holds, which so is in no argument.
constexpr std::string_view k_answer =
    "!f() { test \"$1\" = get && echo \"username=$GIT_USERNAME\" && echo "
    "\"password=$GIT_PASSWORD\"; }; f";

// Takes the first program that the image has. What ends with / is all that is below it.
constexpr std::string_view k_download =
    R"sh(set -e
has() { command -v "$1" >/dev/null; }
none() { echo "the image has none of $*: name an image that has one: image=IMAGE" >&2; exit 127; }
place=${DOWNLOAD_SOURCE%%\?*}
file=${place##*/}
case $DOWNLOAD_SOURCE in
s3://*)
  set -- ${AWS_ENDPOINT_URL:+--endpoint-url "$AWS_ENDPOINT_URL"}
  if has aws; then aws "$@" s3 cp --only-show-errors "$place" ./ $([ "$file" ] || echo --recursive)
  elif has s5cmd; then s5cmd "$@" cp "$place$([ "$file" ] || echo '*')" ./
  else none aws s5cmd; fi ;;
*)
  case $DOWNLOAD_SOURCE in https:*) set -- --proto-redir =https ;; esac
  if has curl; then curl -gfsSL "$@" --retry 3 --connect-timeout 30 --speed-time 60 --speed-limit 1 -o "$file" "$DOWNLOAD_SOURCE"
  elif has wget; then
    wget -q -T 60 -O "$file" "$DOWNLOAD_SOURCE" || { echo "wget could not download $place" >&2; exit 1; }
  elif has python3; then
    python3 -c 'import socket, sys, urllib.request as web; socket.setdefaulttimeout(60)
web.urlretrieve(*sys.argv[1:])' "$DOWNLOAD_SOURCE" "$file"
  else none curl wget python3; fi ;;
esac
echo "downloaded $place"
)sh";

// pip would install with --target what the image has already, PyTorch among it. So pip first says
// what is missing, and installs just that. uv cannot say it. requirements.txt stays as a record.
constexpr std::string_view k_install = R"sh(set -e
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore
has() { command -v "$1" >/dev/null; }
site=$PWD
cd /
python=python3
has python3 || python=python
if has "$python" && "$python" -m pip --version >/dev/null 2>&1; then
  plan=$(PIP_BREAK_SYSTEM_PACKAGES=1 "$python" -m pip install -q --dry-run --report - -- "$@")
  printf %s "$plan" | "$python" -c 'import json, sys
for one in json.load(sys.stdin)["install"]:
    about, source = one["metadata"], one["download_info"]
    place, vcs = source["url"], source.get("vcs_info")
    if vcs: place = vcs["vcs"] + "+" + place + "@" + vcs["commit_id"]
    print(about["name"] + (" @ " + place if one["is_direct"] else "==" + about["version"]))' >"$site/requirements.txt"
  if [ -s "$site/requirements.txt" ]; then
    "$python" -m pip install -q --no-deps --upgrade --target "$site" -r "$site/requirements.txt"
  fi
  echo "installed:" $(cat "$site/requirements.txt")
elif has uv; then
  uv pip install --target "$site" ${PIP_INDEX_URL:+--index-url "$PIP_INDEX_URL"} \
    ${PIP_EXTRA_INDEX_URL:+--extra-index-url "$PIP_EXTRA_INDEX_URL"} ${PIP_CONSTRAINT:+--constraint "$PIP_CONSTRAINT"} -- "$@"
else
  echo "the image has neither pip nor uv to install packages" >&2
  exit 127
fi
)sh";

bool is_web(std::string_view url) {
  return url.starts_with("https://") || url.starts_with("http://");
}

std::string host_of(const std::string& url) {
  return split_once(url.substr(url.find("//") + 2), '/').first;
}

// The value is not quoted in errors, since credentials may be in it.
Status check_repository(const MountFields& fields) {
  const std::string url = field_of(fields, "repository");
  if (!is_web(url)) {
    return Error{Code::usage, "has no repository that begins with https:// or http://",
                 "write it like --git-sync repository=https://HOST/PATH,path=/code"};
  }
  const bool tells = fields.contains("username") || fields.contains("password");
  if (!tells && host_of(url).find('@') == std::string::npos) return {};
  return Error{Code::usage, "would show credentials to everyone who can read the job",
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
  Json all = Json::array({kube::variable("GIT_REPOSITORY", field_of(fields, "repository")),
                          kube::variable("GIT_REVISION", revision.empty() ? "HEAD" : revision),
                          kube::variable("GIT_TERMINAL_PROMPT", "0"),
                          kube::variable("GIT_HTTP_LOW_SPEED_LIMIT", "1"),
                          kube::variable("GIT_HTTP_LOW_SPEED_TIME", "60"),
                          kube::variable("GIT_CONFIG_COUNT", secret.empty() ? "1" : "2"),
                          kube::variable("GIT_CONFIG_KEY_0", "safe.directory"),
                          kube::variable("GIT_CONFIG_VALUE_0", "*")});
  if (secret.empty()) return all;
  all.push_back(kube::variable("GIT_CONFIG_KEY_1", "credential.helper"));
  all.push_back(kube::variable("GIT_CONFIG_VALUE_1", k_answer));
  all.push_back(secret_variable("GIT_USERNAME", secret, "username"));
  all.push_back(secret_variable("GIT_PASSWORD", secret, "password"));
  return all;
}

// The value is not quoted here either.
Status check_source(const std::string& source) {
  const bool is_s3 = source.starts_with("s3://");
  if (!is_s3 && !is_web(source)) {
    return Error{Code::usage, "has no source that begins with s3://, https:// or http://",
                 "write it like --download source=s3://BUCKET/DIRECTORY/,path=/data"};
  }
  if (host_of(source).find('@') != std::string::npos) {
    return Error{Code::usage, "the address would show credentials to everyone who can read the job",
                 "keys for S3 come from a secret: --s3 SECRET"};
  }
  if (source.find_first_of(" \t\r\n") != std::string::npos) {
    return Error{Code::usage, "has a blank in its source", "write it as %20"};
  }
  const std::string place = split_once(source, '?').first;
  const bool names_object = place.find('/', place.find("//") + 2) != std::string::npos;
  if (names_object && (is_s3 || !place.ends_with('/'))) return {};
  return Error{Code::usage, "names no file to download",
               "a directory can be downloaded from S3 only: s3://BUCKET/DIRECTORY/"};
}

// Which files a directory of S3 holds is known only when it is downloaded.
Status add_file(const std::string& source, const std::string& path,
                std::map<std::string, std::string>& source_of) {
  // What follows the '?' may hold a signature, which errors must not show.
  const std::string place = split_once(source, '?').first;
  const std::string name = place.substr(place.rfind('/') + 1);
  if (name.empty()) return {};
  const std::string file = cat(path, '/', name);
  const auto [known, is_new] = source_of.emplace(file, place);
  if (is_new) return {};
  return Error{Code::usage, cat(known->second, " and ", place, " would both become ", file),
               "give one of them another path"};
}

// Works in a new volume at the path, which the training container has there, too.
struct InitContainer {
  std::string name;
  std::string image;  // "" = the training container's, which is known when all flags are applied
  std::string_view script;
  Json variables;
  std::string path;
  std::vector<std::string> arguments = {};  // of the script
};

Json init_container(const InitContainer& init, const std::string& volume) {
  Json container = {{"name", init.name}};
  if (!init.image.empty()) container["image"] = init.image;
  Json command = Json::array({"sh", "-c", init.script});
  if (!init.arguments.empty()) command.push_back(init.name);  // $0
  for (const std::string& argument : init.arguments) command.push_back(unexpanded(argument));
  container.update(Json{{"command", std::move(command)},
                        {"workingDir", init.path},
                        {"env", init.variables},
                        {"volumeMounts", Json::array({kube::volume_mount(volume, init.path)})},
                        {"terminationMessagePolicy", "FallbackToLogsOnError"}});
  return container;
}

// Several may bring files to the same path.
Json patch_of(const PatchInput& input, const std::vector<InitContainer>& inits) {
  std::vector<Mount> mounts;
  std::map<std::string, std::size_t> volume_at;
  for (const InitContainer& init : inits) {
    const bool is_new = volume_at.emplace(init.path, mounts.size()).second;
    if (is_new) mounts.push_back({{{"emptyDir", Json::object()}}, init.path});
  }
  Json patch = mount_patch(input, mounts);
  for (const InitContainer& init : inits) {
    const std::string volume = text_at(patch["volumes"][volume_at[init.path]], "/name");
    patch["initContainers"].push_back(init_container(init, volume));
  }
  return patch;
}

// A word that begins otherwise would be an option of pip.
Status check_package(const std::string& package) {
  if (package.empty() || !is_letter_or_digit(package.front()) ||
      package.find('\n') != std::string::npos) {
    return Error{Code::usage, cat(printable_line(package), " is not a Python package"),
                 "name it as pip does: --with datasets==3.2.0"};
  }
  const bool is_address = package.find("//") != std::string::npos;
  if (!is_address || host_of(package).find('@') == std::string::npos) return {};
  return Error{Code::usage, "the address would show credentials to everyone who can read the job",
               "pip takes them from a secret: --env-secret PIP_INDEX_URL=SECRET:KEY"};
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
  TRY_ASSIGN(fields["path"], mount_path(text, fields["path"]));
  if (!fields["secret"].empty()) {
    TRY(require(fields["secret"], object_name_fault(fields["secret"])));
  }
  return patch_of(input, {{std::string(k_git_container), fields["image"], k_clone,
                           variables_of(fields), fields["path"]}});
}

Result<Json> build_download(const PatchInput& input) {
  std::vector<InitContainer> inits;
  std::map<std::string, std::string> source_of;  // by file: a second source would overwrite it
  for (const std::string& text : input.values) {
    TRY_ASSIGN(MountFields fields, mount_fields(text, {"source", "path", "image"}));
    TRY(check_source(fields["source"]));
    TRY_ASSIGN(fields["path"], mount_path(text, fields["path"]));
    TRY(add_file(fields["source"], fields["path"], source_of));
    inits.push_back({cat(k_download_container, inits.size() + 1), fields["image"], k_download,
                     Json::array({kube::variable("DOWNLOAD_SOURCE", unexpanded(fields["source"]))}),
                     fields["path"]});
  }
  return patch_of(input, inits);
}

Result<Json> build_packages(const PatchInput& input) {
  for (const std::string& package : input.values) TRY(check_package(package));
  return patch_of(input, {{std::string(k_packages_container), "", k_install, Json::array(),
                           std::string(k_packages_path), input.values}});
}

}  // namespace trainctl::job
