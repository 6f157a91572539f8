// Asks the system's user database for the user's name.
#include <pwd.h>
#include <unistd.h>

#include "base/file/system_libraries.h"

namespace trainctl {

std::string login_name() {
  const passwd* user = ::getpwuid(::geteuid());
  return user == nullptr ? "" : user->pw_name;
}

}  // namespace trainctl
