// The shared library starts itself, and reads the machine's configuration.
#include "base/file/crypto_library.h"

namespace trainctl {

void start_crypto() {}

}  // namespace trainctl
