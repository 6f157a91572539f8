// Turns libcurl's results into messages for the user.
#pragma once

#include <string>

#include <curl/curl.h>

#include "net/curl_transfer.h"

namespace trainctl::net {

struct CurlFailure {
  CURL* easy = nullptr;
  CURLcode code = CURLE_OK;
  std::string detail;  // libcurl's error buffer
  Duration timeout{};  // the request's
  bool head_came = false;
  bool answered_before = false;   // the server answered some request of this transport before
  bool lacks_descriptor = false;  // this process may open no further socket
};

Error failure_error(const CurlSettings& settings, const CurlFailure& failure);

// True when another attempt may succeed.
bool is_transient(const CurlSettings& settings, const CurlFailure& failure);

bool is_connected(const CurlFailure& failure);

}  // namespace trainctl::net
