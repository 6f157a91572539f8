// Takes the place of crypto_library.cpp in a static program. The machine's configuration could name
// modules of another OpenSSL.
#include <openssl/crypto.h>

#include "base/file/crypto_library.h"

namespace trainctl {

void start_crypto() {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
}

}  // namespace trainctl
