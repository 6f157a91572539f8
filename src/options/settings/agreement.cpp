// Keeps one file for each consent, named by its digest, where nobody else can write.
#include "options/settings/agreement.h"

#include "base/environment.h"
#include "base/file/own_file.h"
#include "base/file/sha256.h"
#include "base/text/text.h"

namespace trainctl::options {
namespace {

// The paths are part of it, because a setting may refer to what lies beside the file, as in
// PYTHONPATH=src. Digests of equal length keep the parts apart.
Result<std::string> digest_of(const ConfigSources& sources, const std::vector<Setting>& settings) {
  std::vector<std::string> paths = {sources.tree.path};
  for (const Setting& setting : settings) {
    if (setting.facts.row.type != Type::path) continue;
    paths.insert(paths.end(), setting.values.begin(), setting.values.end());
  }
  std::string digests;
  for (const std::string& path : paths) {
    TRY_ASSIGN(const std::string content, sources.files.read(path));
    digests += sha256_hex(path) + sha256_hex(content);
  }
  return sha256_hex(digests);
}

// "" = there is no place for one.
std::string consent_path(const ConfigSources& sources, const std::string& digest) {
  const std::string state = state_directory(sources.environment);
  return state.empty() ? "" : cat(state, "/agreed/", digest);
}

}  // namespace

bool is_agreed(const ConfigSources& sources, const std::vector<Setting>& settings) {
  const auto digest = digest_of(sources, settings);
  if (!digest) return false;
  // The content shows that the file is a consent, whatever its name.
  const std::string path = consent_path(sources, *digest);
  return !path.empty() && read_own_file(sources.files, path) == sources.tree.path + '\n';
}

Status agree(const ConfigSources& sources, const std::vector<Setting>& settings) {
  auto digest = digest_of(sources, settings);
  if (!digest) return Error{Code::usage, digest.error().message, digest.error().hint};
  const std::string path = consent_path(sources, *digest);
  if (path.empty()) {
    return Error{Code::usage, "cannot record your consent: HOME is not an absolute path",
                 "set HOME or XDG_STATE_HOME to an absolute path"};
  }
  return sources.files.write_private(path, sources.tree.path + '\n');
}

}  // namespace trainctl::options
