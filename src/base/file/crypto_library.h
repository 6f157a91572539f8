// Starts OpenSSL's libcrypto.
#pragma once

namespace trainctl {

// Must be called before any function of libcrypto; costs nothing after the first time.
void start_crypto();

}  // namespace trainctl
