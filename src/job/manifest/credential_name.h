// Names that say that their values are credentials. Pure.
#pragma once

#include <string_view>

namespace trainctl::job {

// True for the name of a variable, flag or annotation such as HF_TOKEN, --api-key,
// DB_PASS or wandb.ai/api-key.
bool looks_like_credential(std::string_view name);

}  // namespace trainctl::job
