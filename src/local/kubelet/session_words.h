// The words of a session's end: the Status objects of a real API server, on channel 3.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "local/answer.h"

namespace trainctl::local {

std::string success_words();
// The protocol decides the words, because a real server of v5 has them from another place.
std::string exit_words(int code, std::string_view protocol,
                       const std::vector<std::string>& command);
std::string fault_words(std::string_view why);

// Sends a Status and closes the connection.
void finish_session(ApiSocket& socket, std::string_view words);
// A session that reports the fault and ends at once.
std::unique_ptr<ApiSession> refused_session(std::string_view why);

}  // namespace trainctl::local
