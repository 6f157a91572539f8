// libcurl's results in the user's words.
#pragma once

#include <string>

#include <curl/curl.h>

#include "net/curl_settings.h"

namespace trainctl::net {

struct CurlFailure {
  CURL* easy = nullptr;
  CURLcode code = CURLE_OK;
  std::string detail;  // libcurl's error buffer
  Duration timeout{};  // the request's
  bool head_came = false;
};

Error failure_error(const CurlSettings& settings, const CurlFailure& failure);

// Whether another attempt may fare better.
bool is_transient(const CurlFailure& failure);

}  // namespace trainctl::net
