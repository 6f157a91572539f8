// Takes the place of system_user.cpp with a static C library, whose getpwuid would load the name
// services of this machine's, and end with a signal when that is a newer one than ours.
#include <cstdio>
#include <memory>

#include <pwd.h>
#include <unistd.h>

#include "base/file/system_libraries.h"

namespace trainctl {

std::string login_name() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen("/etc/passwd", "re"), [](std::FILE* open) { return std::fclose(open); });
  while (file != nullptr) {
    const passwd* user = ::fgetpwent(file.get());
    if (user == nullptr) break;
    if (user->pw_uid == ::geteuid()) return user->pw_name;
  }
  return "";
}

}  // namespace trainctl
