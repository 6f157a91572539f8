// Does what a static program must do otherwise than one that shares its libraries with the machine.
#pragma once

#include <string>

namespace trainctl {

// Starts OpenSSL's libcrypto. Must be called before any function of it; costs nothing after the
// first time.
void start_crypto();

// The system's name for this user; "" when it has none.
std::string login_name();

}  // namespace trainctl
