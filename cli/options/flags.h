// Binds the groups of flags that several commands share.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/options/bind.h"
#include "options/table/flag_groups.h"

namespace trainctl::cli {

// Adds --kind, whose value must be an existing kind.
void add_kind_flag(const OptionBinder& bind, std::string& value);

void add_prefix_flag(const OptionBinder& bind, options::LogFlags& flags);
void add_save_flag(const OptionBinder& bind, options::LogFlags& flags);
void add_log_flags(const OptionBinder& bind, options::LogFlags& flags);

void add_wait_flags(const OptionBinder& bind, options::WaitFlags& flags);

}  // namespace trainctl::cli
