// An endpoint, converted once into libcurl's options for every request.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <curl/curl.h>

#include "net/http.h"
#include "net/url.h"

namespace trainctl::net {

struct FreeSlist {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Slist = std::unique_ptr<curl_slist, FreeSlist>;
void append(Slist& list, const std::string& line);

struct CurlSettings {
  Endpoint endpoint;
  UrlParts url;
  std::optional<UrlParts> proxy;
  std::string server;       // names the endpoint in messages
  std::string base_url;     // its host is the TLS server name where one is set
  std::string host_header;  // "Host: …" when base_url does not hold the real host; else ""
  Slist connect_to;         // redirects to the real host in that case
  std::string proxy_url;    // "" = direct
  // Libcurl's own CA bundle exists, so its CA directory is not needed.
  bool has_bundle_file = false;
};

// Code::usage when the endpoint cannot be used at all.
Result<CurlSettings> make_settings(Endpoint endpoint);

}  // namespace trainctl::net
