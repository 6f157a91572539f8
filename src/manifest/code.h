// The user's code on its way into a job's pods: config maps or a claim that hold its archive, and
// an init container that unpacks it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/companions.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// The fields that init containers of trainctl take over from the training container. Pure.
struct Kind;

// The same for the init containers whose names begin like this, in every role. They also get the
// image, if they have none, the directories of claims, and the variables by which programs find
// proxies and S3.
void equip(const Kind& kind, std::string_view init_names, Json& manifest);

// Git's account of the code; empty when the code came from no working tree.
struct CodeRevision {
  std::string commit;
  std::vector<std::string> changed;    // tracked files that differ from the commit
  std::vector<std::string> untracked;  // files that went along with it
};

// The claim that holds archives of code, each named by its content.
struct CodeClaim {
  std::string name;       // "" = config maps hold the code instead
  std::string directory;  // in the claim, without a slash at either end; "" = its root

  // The directory of the archives, below the root of the claim.
  std::string archives() const;
  // "data" or "data:DIRECTORY"
  std::string words() const;
};
// Parses CLAIM[:SUBPATH].
Result<CodeClaim> parse_code_claim(std::string_view text);

// Packed code, without its bytes.
struct PackedCode {
  std::string digest;      // SHA-256 of the archive, in hexadecimal digits
  std::uint64_t size = 0;  // of the archive
  std::size_t files = 0;
  CodeRevision revision;
  std::string image;     // of the init container; "" = that of the replica
  CodeClaim claim = {};  // holds the archive

  // The name of its archive in a claim.
  std::string archive_name() const;
};

inline constexpr std::string_view k_code_path = "/code";
inline constexpr std::string_view k_code_container = "trainctl-code";  // the init container
// Its exit status when the claim does not hold the code, or the image cannot tell.
inline constexpr int k_code_unfit = 3;
// The label of the config maps, with the beginning of the digest; and the annotation of the job.
inline constexpr std::string_view k_label_code = "trainctl/code";
// Above it, etcd and the API server have more to keep than they are made for.
inline constexpr std::uint64_t k_most_code = std::uint64_t{8} << 20U;
// The same for a claim: the archive is held in memory while it is sent.
inline constexpr std::uint64_t k_most_code_in_claim = std::uint64_t{2} << 30U;

// The config maps of an archive, named by its content. `owner` becomes a label.
std::vector<DependentObject> code_maps(const PackedCode& code, std::string_view archive,
                                       std::string_view owner);

// Mounts the code in the training container of every replica, which starts there, and records in an
// annotation what it is. Call it before the flags are applied, since they may override it.
Status mount_code(const Kind& kind, const PackedCode& code, Json& manifest);
// Adds the init container that unpacks it, with image and rights of the finished training
// container. Code::usage when something else is mounted at k_code_path.
Status unpack_code(const Kind& kind, const PackedCode& code, Json& manifest);

// Returns the job's annotation about its code: {"digest","size","files","claim","commit","changed",
// "changedFiles"}; null when the annotation is missing, or not as trainctl writes it.
Json code_of(const Json& job);
// The same in words: "sha256:0123456789ab, 3 files, in claim data, commit 0123456789ab and 2
// changed files (a, b)".
std::string code_words(const Json& job);

}  // namespace trainctl::job
