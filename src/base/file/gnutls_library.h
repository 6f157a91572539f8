// GnuTLS takes a tenth of a short command's time to start, so a static program starts it on demand.
#pragma once

namespace trainctl {

// Must be called before any function of GnuTLS; costs nothing after the first time.
void start_gnutls();

}  // namespace trainctl
