// The directories of a user's own files, by the XDG base directory specification.
#pragma once

#include <string>
#include <string_view>

#include "base/environment.h"

namespace trainctl {

// The directory that a variable names, without '/' at its end; "" for a relative one, which the
// specification tells us to ignore.
std::string absolute_directory(const Environment& environment, std::string_view variable);

// trainctl's own directory below $XDG_CONFIG_HOME or ~/.config; "" without HOME.
std::string config_directory(const Environment& environment);

// trainctl's own directory below $XDG_STATE_HOME or ~/.local/state; "" without HOME.
std::string state_directory(const Environment& environment);

// True where a container's user has no home: a runtime sets HOME to "/" for one that the image does
// not know.
bool is_homeless(const Environment& environment);

}  // namespace trainctl
