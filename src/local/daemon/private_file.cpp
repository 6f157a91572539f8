// Opens with mode 0600 under a temporary name, then renames.
#include "local/daemon/private_file.h"

#include <array>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/file/descriptor.h"
#include "base/text/text.h"
#include "local/daemon/places.h"

namespace trainctl::local {

Status write_private(const std::string& path, std::string_view content) {
  const std::string temporary = cat(path, ".tmp-", ::getpid());
  ::unlink(temporary.c_str());
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return system_error("write", path);
  const ssize_t written = ::write(file.get(), content.data(), content.size());
  const bool whole = written == static_cast<ssize_t>(content.size());
  if (whole && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  Error error = system_error("write", path);
  ::unlink(temporary.c_str());
  return error;
}

std::string read_private(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || facts.st_uid != ::getuid()) return "";
  std::string content;
  std::array<char, 8192> buffer{};
  for (ssize_t size = 0; (size = ::read(file.get(), buffer.data(), buffer.size())) > 0;) {
    content.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return content;
}

}  // namespace trainctl::local
