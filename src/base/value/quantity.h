// Kubernetes resource quantities ("500m", "2Gi", "1e3"), checked and compared exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl {

// Checks text against the grammar of apimachinery's resource.Quantity; Code::usage when it is
// invalid or negative. Returns it unchanged: the server keeps the user's spelling.
Result<std::string> checked_quantity(std::string_view text);

// The same for an amount of bytes. Below 1 MiB, a fraction of a byte is refused as well: "512m" is
// half a byte, and meant as 512Mi. A fraction above that is what 0.1Gi comes to.
Result<std::string> checked_size(std::string_view text);
// The warning of a size below 1 MiB, in which nobody trains: "is 512 bytes; did you mean 512Mi?".
// "" for other sizes. `text` must have passed checked_size.
std::string small_size(std::string_view text);

inline constexpr std::int64_t k_milli_per_unit = 1000;
// The value in thousandths, rounded up, saturating; text must have passed checked_quantity.
std::int64_t quantity_milli(std::string_view text);

// The same quantity as Kubernetes' own library prints it: "0.5" is "500m", "1.5Gi" is "1536Mi",
// "1000" is "1k". Returns text unchanged if it has an exponent, is finer than a thousandth, or is
// no quantity.
std::string canonical_quantity(std::string_view text);

}  // namespace trainctl
