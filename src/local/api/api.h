// The embedded API server without HTTP: from a request to its answer.
#pragma once

#include <memory>

#include "base/loop.h"
#include "local/answer.h"
#include "local/pod_logs.h"
#include "local/store/store.h"

namespace trainctl::local {

class Api {
 public:
  Api(Loop& loop, Store& store, PodLogs& logs);
  // GET (object, list, watch, log), POST, PUT, PATCH (JSON patch, merge patch, strategic merge
  // patch for core kinds), DELETE (object, collection), the status and scale subresources, dryRun,
  // fieldValidation, selectors, paging, Table and PartialObjectMetadata. Anything else answers as a
  // real server does for what it does not know.
  ApiAnswer answer(const ApiRequest& request);

 private:
  Loop& loop_;
  Store& store_;
  PodLogs& logs_;
};

// Makes the namespaces "default" and "kube-system" with what every namespace holds, unless they are
// there: called once before the store is served.
void seed(Store& store);

}  // namespace trainctl::local
