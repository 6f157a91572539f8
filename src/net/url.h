// Percent-encoding, and paths and queries built with it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace trainctl::net {

// RFC 3986: everything but unreserved characters is encoded.
std::string percent_encoded(std::string_view text);
// "%2F" to "/"; what is no such escape stays as it is.
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
// Absolute URLs without query only; Code::usage otherwise. The message never holds the user info.
Result<UrlParts> parse_url(std::string_view url);

// For showing: "https://user:secret@host" as "https://***@host"; what is no such URL as it stands.
std::string masked_user_info(std::string_view url);

}  // namespace trainctl::net
