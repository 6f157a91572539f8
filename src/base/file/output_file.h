// Writes a file where an output goes: replaced as a whole, or appended to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/file/output_place.h"
#include "base/result.h"

namespace trainctl {

// Code::error, with the system's words for the errno.
Error write_failure(const std::string& path, int error_number);

// Replaces the file by way of a temporary one beside it. The file gets exactly `mode`, regardless
// of the umask; without `mode`, a new file gets the mode that the umask leaves. `path` is the name
// for messages.
Status replace_file(const std::string& path, const OutputPlace& place, std::optional<mode_t> mode,
                    std::string_view content);

// Appends to the file. When the place is a descriptor that this process was started with, writes to
// that instead. `create` is O_CREAT, or 0 for a file that must exist: a device, a pipe.
Status append_to_file(const std::string& path, const OutputPlace& place, int create,
                      std::string_view content);

// Code::error unless a file could be made there; leaves nothing.
Status try_file(const std::string& path, const OutputPlace& place);

}  // namespace trainctl
