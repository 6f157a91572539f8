// Creates the objects that every cluster and every namespace has from the beginning.
#pragma once

#include <string_view>

#include "local/store/store.h"

namespace trainctl::local {

// Creates the service account "default" and the ConfigMap "kube-root-ca.crt".
void populate_namespace(Store& store, std::string_view ns);

}  // namespace trainctl::local
