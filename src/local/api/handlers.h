// The API server's handlers, which the table of routes in api.cpp names.
#pragma once

#include <optional>

#include "local/api/call.h"
#include "local/api/query.h"
#include "local/store/store.h"

namespace trainctl::local {

// discovery.cpp: requests about the API itself, and reviews of the own rights; nullopt when the
// request is none of these.
std::optional<ApiAnswer> discover(const ApiRequest& request);

// watch.cpp: changes after a version, as JSON lines.
ApiAnswer watch_objects(const ApiParts& parts, const ApiCall& call, ListOptions options);

// initial_objects.cpp: creates the service account "default" and the ConfigMap "kube-root-ca.crt".
void populate_namespace(Store& store, std::string_view ns);

// create.cpp, patch.cpp and deletion.cpp: POST, PATCH and DELETE of an object.
Answered<ApiAnswer> create_object(const ApiParts& parts, const ApiCall& call);
Answered<ApiAnswer> patch_object(const ApiParts& parts, const ApiCall& call);
Answered<ApiAnswer> remove_object(const ApiParts& parts, const ApiCall& call);

// pod_endpoints.cpp: log, exec, attach and portforward of a pod are checked, then the kubelet is
// asked.
Answered<ApiAnswer> read_log(const ApiParts& parts, const ApiCall& call);
Answered<ApiAnswer> open_stream(const ApiParts& parts, const ApiCall& call);

}  // namespace trainctl::local
