// libcrypto starts itself, by the machine's configuration; the C library asks all name services.
#include "base/file/system_libraries.h"

#include <pwd.h>
#include <unistd.h>

namespace trainctl {

void start_crypto() {}

std::string login_name() {
  const passwd* user = ::getpwuid(::geteuid());
  return user == nullptr ? "" : user->pw_name;
}

}  // namespace trainctl
