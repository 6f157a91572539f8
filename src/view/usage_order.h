// The orders in which a table of usage can be sorted.
#pragma once

namespace trainctl::view {

enum class UsageOrder {
  trouble,  // failing and lagging ones first
  name,
  gpus,    // the largest request first
  cpu,     // the largest usage first
  memory,  // the same
};

}  // namespace trainctl::view
