// An endpoint worked out once into what libcurl is told for every request.
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
  std::string server;            // names the endpoint in messages
  std::string base_url;          // with the TLS server name as its host, where there is one
  std::string host_header;       // "Host: …" when base_url does not hold the real host; else ""
  Slist connect_to;              // then leads back to the real host
  std::string proxy_url;         // "" = direct
  bool has_bundle_file = false;  // libcurl's own CA bundle is there, so its directory is not needed
};

// Code::usage when the endpoint cannot be used at all.
Result<CurlSettings> make_settings(Endpoint endpoint);

// "host:port", with brackets around an IPv6 address.
std::string host_port(const UrlParts& url);

}  // namespace trainctl::net
