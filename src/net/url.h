// Percent-encoding, URLs, paths and queries.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace trainctl::net {

// Encodes everything but unreserved characters (RFC 3986).
std::string percent_encoded(std::string_view text);
// Decodes "%2F" to "/"; invalid escapes are left unchanged.
std::string percent_decoded(std::string_view text);

using Query = std::vector<std::pair<std::string, std::string>>;

// "/a/b" and {{"x","1 2"}} give "/a/b?x=1%202"; an empty query adds nothing.
std::string with_query(std::string path, const Query& query);

struct UrlParts {
  std::string scheme;  // lower case
  std::string user_info;
  std::string host;  // without brackets
  int port = 0;      // the scheme's default when not given
  std::string path;  // without '/' at the end
};
// Parses an absolute URL without query; Code::usage for others. The message never holds the user
// info.
Result<UrlParts> parse_url(std::string_view url);

// "host:port", with brackets around an IPv6 address.
std::string host_port(const UrlParts& url);

}  // namespace trainctl::net
