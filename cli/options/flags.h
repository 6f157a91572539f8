// Binds the groups of flags that several commands share.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/options/bind.h"
#include "options/table/flag_groups.h"

namespace trainctl::cli {

// Returns the manifest of a command that takes one, as a word or with -f; Code::usage otherwise.
Result<std::string> only_manifest(std::string_view command, std::vector<std::string> words,
                                  const std::vector<std::string>& files);
// Adds --kind, whose value must be an existing kind.
void add_kind_flag(const OptionBinder& bind, std::string& value);

void add_prefix_flag(const OptionBinder& bind, options::LogFlags& flags);
void add_save_flag(const OptionBinder& bind, options::LogFlags& flags);
void add_log_flags(const OptionBinder& bind, options::LogFlags& flags);

void add_wait_flags(const OptionBinder& bind, options::WaitFlags& flags);

}  // namespace trainctl::cli
