// Tells the layers below about the embedded cluster: the one implementation of
// work::EmbeddedCluster.
#pragma once

#include <memory>

#include "cli/context.h"

namespace trainctl::cli {

// `context` must outlive the result.
std::unique_ptr<work::EmbeddedCluster> make_embedded(Context& context);

}  // namespace trainctl::cli
