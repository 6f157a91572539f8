// Parses the server's Warning headers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainctl::kube {

// The texts of the 299 warnings in a header's value (`299 - "text" "date", …`), made printable.
// Other codes, and everything behind a malformed warning, are omitted.
std::vector<std::string> warning_texts(std::string_view header_value);

}  // namespace trainctl::kube
