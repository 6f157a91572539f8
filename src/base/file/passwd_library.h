// Looks up this user's name in the machine's user database.
#pragma once

#include <string>

namespace trainctl {

// The system's name for this user; "" when it has none.
std::string login_name();

}  // namespace trainctl
