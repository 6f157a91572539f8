// Base64 (RFC 4648), as kubeconfigs and basic authentication use it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainctl {

std::string base64_encode(std::string_view bytes);

// Decodes text; line breaks inside are skipped, as in Go's decoder. nullopt for any other stray
// character, a wrong length or padding that is not at the end.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace trainctl
