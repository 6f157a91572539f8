// Messages for why no answer came, shared by the real transport and the scripted one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/time.h"

namespace trainctl::net {

// `server` is "host:port", or another name of the endpoint for the user. All errors are
// Code::unreachable.
Error cannot_reach(std::string_view server, std::string_view reason);
Error connection_lost(std::string_view server);
Error no_answer(std::string_view server, Duration limit);
// This process has reached its limit of `limit` open files and connections.
Error too_many_open(std::string_view server, std::uint64_t limit);
// An open connection was silent for `limit` although an answer was due.
Error no_sign_of_life(std::string_view server, Duration limit);

// "trying again in 4 s"; without a wait "trying again".
std::string trying_again(Duration wait);

// "30 s", "0.5 s".
std::string seconds_text(Duration duration);

}  // namespace trainctl::net
