// The texts of apimachinery's pkg/api/errors, and the reasons of field errors.
#include "local/api_error.h"

#include "base/text/text.h"

namespace trainctl::local {

namespace {

// The details for "pytorchjobs.kubeflow.org" or "PyTorchJob.kubeflow.org".
Json details_of(std::string_view qualified, std::string_view name) {
  const Halves parts = split_once(qualified, '.');
  Json details = Json::object();
  if (!name.empty()) details["name"] = name;
  if (!parts.second.empty()) details["group"] = parts.second;
  details["kind"] = parts.first;
  return details;
}

}  // namespace

Json status_object(const ApiError& error) {
  Json status = {{"kind", "Status"},
                 {"apiVersion", "v1"},
                 {"metadata", Json::object()},
                 {"status", "Failure"}};
  if (!error.message.empty()) status["message"] = error.message;
  if (!error.reason.empty()) status["reason"] = error.reason;
  if (!error.details.is_null()) status["details"] = error.details;
  status["code"] = error.code;
  return status;
}

ApiError not_found(std::string_view resource, std::string_view name) {
  return {404, "NotFound", cat(resource, " \"", name, "\" not found"), details_of(resource, name)};
}

ApiError already_exists(std::string_view resource, std::string_view name) {
  return {409, "AlreadyExists", cat(resource, " \"", name, "\" already exists"),
          details_of(resource, name)};
}

ApiError conflict(std::string_view resource, std::string_view name, std::string_view why) {
  return {409, "Conflict",
          cat("Operation cannot be fulfilled on ", resource, " \"", name, "\": ", why),
          details_of(resource, name)};
}

ApiError invalid(std::string_view kind, std::string_view name,
                 const std::vector<FieldFault>& faults) {
  Json details = details_of(kind, name);
  details["causes"] = Json::array();
  std::vector<std::string> lines;
  for (const FieldFault& fault : faults) {
    details["causes"].push_back({{"message", fault.message}, {"field", fault.field}});
    lines.push_back(cat(fault.field, ": ", fault.message));
  }
  const std::string all = lines.size() == 1 ? lines[0] : cat('[', join(lines, ", "), ']');
  return {422, "Invalid", cat(kind, " \"", name, "\" is invalid: ", all), std::move(details)};
}

ApiError bad_request(std::string_view message) {
  return {400, "BadRequest", std::string(message)};
}

ApiError page_not_found() {
  ApiError error{404, "", "404 page not found\n"};
  error.plain_text = true;
  return error;
}

}  // namespace trainctl::local
