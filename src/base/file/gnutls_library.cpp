// The shared library has started itself when it was loaded.
#include "base/file/gnutls_library.h"

namespace trainctl {

void start_gnutls() {}

}  // namespace trainctl
