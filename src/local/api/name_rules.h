// Checks names, label keys and values as the API server does, with its words for each fault.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainctl::local {

// The rules of k8s.io/apimachinery/pkg/util/validation. Each answers with all that is wrong.
std::vector<std::string> dns_subdomain_faults(std::string_view text);  // most objects
std::vector<std::string> dns_label_faults(std::string_view text);      // namespaces, containers
std::vector<std::string> dns_1035_faults(std::string_view text);       // services, training jobs
std::vector<std::string> qualified_name_faults(std::string_view key);  // label keys
std::vector<std::string> label_value_faults(std::string_view text);
std::vector<std::string> config_key_faults(std::string_view text);  // data of config maps

}  // namespace trainctl::local
