// Asks the C library, which asks all name services of this machine.
#include "base/file/passwd_library.h"

#include <pwd.h>
#include <unistd.h>

namespace trainctl {

std::string login_name() {
  const passwd* user = ::getpwuid(::geteuid());
  return user == nullptr ? "" : user->pw_name;
}

}  // namespace trainctl
