// Takes the place of curl_library.cpp in a static program, which has libcurl linked in.
#include "net/curl_library.h"

namespace trainctl::net {

Status load_curl() {
  return {};
}

}  // namespace trainctl::net
