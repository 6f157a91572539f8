// A volume and its place in the training container, for flags that mount something.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/flags/flags.h"

namespace trainctl::job {

struct Mount {
  Json source;  // {"persistentVolumeClaim": {…}}
  std::string path;
  bool read_only = false;
  std::string sub_path = "";
};

// A patch for the pod. Fields that a mount leaves unset are null, so that it does not inherit them
// from an earlier mount at that path.
Json mount_patch(const PatchInput& input, const std::vector<Mount>& mounts);

// The path to mount at, spelled in the one way by which mounts are compared: without "//", "/./"
// and a '/' at its end. Code::usage for a path that is no place to mount at; `text` is what the
// user typed.
Result<std::string> mount_path(std::string_view text, std::string_view path);

// Parses "claimname=data,path=/data,ro" to a map: `known` have a value, `words` have none.
using MountFields = std::map<std::string, std::string>;
Result<MountFields> mount_fields(std::string_view text, const std::set<std::string>& known,
                                 const std::set<std::string>& words = {});

// The source of a volume that is a claim's.
Json claim_source(const std::string& claim);

// The value of a field; "" when it was not given.
std::string field_of(const MountFields& fields, const std::string& name);

}  // namespace trainctl::job
