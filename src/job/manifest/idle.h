// A job that runs no program of its own, but waits to be used from inside. Pure.
#pragma once

#include <cstdint>

#include "base/value/json.h"
#include "job/manifest/render.h"

namespace trainctl::job {

// The time limit of an idle job, in seconds: without it, a forgotten job or a killed client would
// hold GPUs for ever.
inline constexpr std::int64_t k_longest_idle = std::int64_t{24} * 60 * 60;

// Changes a rendered job so that its training containers wait until they are stopped. Only the
// leading replica stays, unless `line` sets numbers of replicas; and the job gets a time limit,
// unless it has one.
void make_idle(const RenderInput& line, Json& manifest);

}  // namespace trainctl::job
