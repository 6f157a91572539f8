// Checks of names, label keys and values. Each returns what is wrong, or "".
#pragma once

#include <string>
#include <string_view>

namespace trainctl::job {

struct Kind;

// The rules of kube/object/names.h, worded for people: "may hold only …".
std::string dns_label_fault(std::string_view text);      // DNS-1123: containers, volumes
std::string port_name_fault(std::string_view text);      // the same with at most 15 characters
std::string object_name_fault(std::string_view text);    // DNS-1123 subdomain: claims, secrets, …
std::string qualified_name_fault(std::string_view key);  // [PREFIX/]NAME: label and resource keys
std::string label_value_fault(std::string_view text);
std::string data_key_fault(std::string_view key);  // of a config map or secret
std::string variable_name_fault(std::string_view text);

// The fault of a job's name. The API servers accept more names than the operators, which name
// Services after the job.
std::string job_name_fault(const Kind& kind, std::string_view text);
// The valid name that is nearest to it, "my-job" for "My_Job"; "" = none is near.
std::string job_name_like(const Kind& kind, std::string_view text);

// The nearest valid label value; may be empty.
std::string as_label_value(std::string_view text);

}  // namespace trainctl::job
