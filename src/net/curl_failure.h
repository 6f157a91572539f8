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
  bool answered_before = false;  // the server, some request of this transport
};

Error failure_error(const CurlSettings& settings, const CurlFailure& failure);

// Whether another attempt may fare better.
bool is_transient(const CurlSettings& settings, const CurlFailure& failure);

// Facts of it that the sentences are made of.
long curl_info(const CurlFailure& failure, CURLINFO which);
bool is_connected(const CurlFailure& failure);
// What libcurl says of it, on one line.
std::string failure_detail(const CurlFailure& failure);
// "connection refused" and its like, as the system words them, without the capital.
std::string connect_reason(const CurlFailure& failure);

}  // namespace trainctl::net
