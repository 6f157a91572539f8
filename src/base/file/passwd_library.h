// The users of this machine.
#pragma once

#include <string>

namespace trainctl {

// The system's name for this user; "" when it has none.
std::string login_name();

}  // namespace trainctl
