// Files are compared by their checksums.
#include "transfer/edited_file.h"

#include <optional>

#include "base/file/sha256.h"

namespace trainctl::work {
namespace {

std::optional<std::string> digest_here(Access& access, const std::string& directory,
                                       const std::string& path) {
  const auto read = access.files.read_below(directory, path);
  if (!read || !read->content) return std::nullopt;
  return sha256_hex(*read->content);
}

}  // namespace

bool EditedFile::is_at(const std::string& name) const {
  return digest_here(access, sent.directory, name) == digest;
}

bool EditedFile::is_free(const std::string& name) const {
  return !access.files.node(resolve_path(sent.directory, name));
}

bool EditedFile::may_be_written() const {
  if (is_free(path)) return true;
  const auto was = sent.files.find(path);
  return was != sent.files.end() && digest_here(access, sent.directory, path) == was->second;
}

}  // namespace trainctl::work
