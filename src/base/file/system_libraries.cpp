// libcrypto starts itself, by the machine's configuration.
#include "base/file/system_libraries.h"

namespace trainctl {

void start_crypto() {}

}  // namespace trainctl
