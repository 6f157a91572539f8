// Starts GnuTLS on demand in a static program, since that takes a tenth of a short command's time.
#pragma once

namespace trainctl {

// Must be called before any function of GnuTLS; costs nothing after the first time.
void start_gnutls();

}  // namespace trainctl
