// Names the temporary files of copies, and removes those whose process was killed.
#pragma once

#include <string>
#include <string_view>

namespace trainctl {

// ".trainctl-", eight random letters, ".part": nobody else gives a file such a name.
std::string new_copy_name();
bool is_copy_name(std::string_view name);

// The mode of a temporary file while it is written; a file with another mode is a user's.
inline constexpr unsigned k_copy_mode = 0600;
// Holds the file as long as `file` is open, so that no other process takes it for abandoned.
void hold_copy(int file);

// Removes from the directory each temporary file that is this user's, that no process holds and
// that has not been written for a minute. Everything else stays.
void remove_abandoned_copies(int directory);

}  // namespace trainctl
