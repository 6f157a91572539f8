// Marks the report of a failed attempt that another one follows (--retry).
#pragma once

#include "base/value/json.h"

namespace trainctl::job {

inline bool is_retried(const Json& report) {
  return true_at(report, "/retried");
}

inline void set_retried(Json& report, bool retried) {
  if (retried) report["retried"] = true;
  if (!retried) report.erase("retried");
}

}  // namespace trainctl::job
