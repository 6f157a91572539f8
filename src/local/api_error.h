// A refusal worded as a Kubernetes API server words it, and its Status object.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/value/json.h"

namespace trainctl::local {

// Codes, reasons and texts are those of kube-apiserver 1.34 (apimachinery pkg/api/errors).
struct ApiError {
  int code = 500;
  std::string reason;       // "NotFound"; "" = omitted
  std::string message;      // the complete message
  Json details = nullptr;   // null = omitted, as in webhook denials
  bool plain_text = false;  // an unknown path: `404 page not found` and no Status object
};

template <typename T>
using Answered = std::variant<T, ApiError>;

// {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",…}
Json status_object(const ApiError& error);

// `resource` is "pods" or "pytorchjobs.kubeflow.org".
ApiError not_found(std::string_view resource, std::string_view name);
ApiError already_exists(std::string_view resource, std::string_view name);
// "Operation cannot be fulfilled on …: " and the reason.
ApiError conflict(std::string_view resource, std::string_view name, std::string_view why);
// One cause of a 422.
struct FieldFault {
  std::string field;    // "metadata.name"
  std::string message;  // "Required value: name or generateName is required"
};

inline void append(std::vector<FieldFault>& faults, std::vector<FieldFault> more) {
  for (FieldFault& fault : more) faults.push_back(std::move(fault));
}
// 422. `kind` is "PyTorchJob.kubeflow.org"; causes are joined as the server joins them.
ApiError invalid(std::string_view kind, std::string_view name,
                 const std::vector<FieldFault>& faults);
ApiError bad_request(std::string_view message);
ApiError page_not_found();

}  // namespace trainctl::local
