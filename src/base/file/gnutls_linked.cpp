// Takes the place of gnutls_library.cpp in a static program. GnuTLS and libmicrohttpd would start
// GnuTLS before main() for every command: 43 pages of memory, and a seventh of `version`.
#include "base/file/gnutls_library.h"

extern "C" {
// The linker renames the calls of gnutls_global_init in libmicrohttpd (cmake/Static.cmake).
int __real_gnutls_global_init();  // NOLINT(bugprone-reserved-identifier)
int __wrap_gnutls_global_init();  // NOLINT(bugprone-reserved-identifier)
int _gnutls_global_init_skip();   // NOLINT(bugprone-reserved-identifier)

int __wrap_gnutls_global_init() {  // NOLINT(bugprone-reserved-identifier)
  return 0;
}

// GnuTLS asks this before it starts itself.
int _gnutls_global_init_skip() {  // NOLINT(bugprone-reserved-identifier)
  return 1;
}
}

namespace trainctl {

void start_gnutls() {
  // It counts its callers, and does nothing after the first.
  __real_gnutls_global_init();
}

}  // namespace trainctl
