// The embedded API server without HTTP: answers requests.
#pragma once

#include <memory>

#include "base/loop/loop.h"
#include "local/answer.h"
#include "local/pod_requests.h"
#include "local/store/store.h"

namespace trainctl::local {

class Api {
 public:
  Api(Loop& loop, Store& store, PodLogs& logs, PodStreams& streams);
  // Supports what trainctl sends: GET (object, list, watch, log, exec, attach, portforward), POST,
  // PATCH (merge patch), DELETE, dryRun and selectors.
  ApiAnswer answer(const ApiRequest& request);

 private:
  Loop& loop_;
  Store& store_;
  PodLogs& logs_;
  PodStreams& streams_;
};

// Creates the namespaces "default" and "kube-system" with their standard contents, unless they
// exist. Called once before the store is served.
void seed(Store& store);

}  // namespace trainctl::local
