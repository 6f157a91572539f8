// Creates and deletes pods and services, with the events that training-operator 1.9 records.
#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "local/api/garbage.h"
#include "local/api/pod_rules.h"
#include "local/operator/reconcile.h"
#include "manifest/operator/wanted_objects.h"

namespace trainctl::local {
namespace {

std::optional<ApiError> store_service(Store& store, Json service) {
  auto answer = store.create(resource_of(k_services), std::move(service));
  const ApiError* error = std::get_if<ApiError>(&answer);
  return error == nullptr ? std::nullopt : std::optional(*error);
}

bool report_creation(OperatorPass& pass, const std::optional<ApiError>& refusal,
                     std::string_view kind, const std::string& name) {
  if (refusal) {
    record(pass.update, "Warning", cat("FailedCreate", kind),
           "Error creating: " + refusal->message);
    return false;
  }
  record(pass.update, "Normal", cat("SuccessfulCreate", kind),
         cat("Created ", lower(kind), ": ", name));
  return true;
}

bool delete_one(OperatorPass& pass, const kube::Resource& resource, const std::string& name) {
  const ServedResource& served = resource_of(resource);
  const auto there = pass.store.get(served, pass.job.ns, name);
  if (there == nullptr || kube::is_being_deleted(*there)) return true;
  auto answer = delete_object(pass.store, pass.update.now, served, pass.job.ns, name, -1);
  if (const ApiError* error = std::get_if<ApiError>(&answer)) {
    record(pass.update, "Warning", cat("FailedDelete", resource.kind),
           "Error deleting: " + error->message);
    return false;
  }
  record(pass.update, "Normal", cat("SuccessfulDelete", resource.kind),
         cat("Deleted ", lower(resource.kind), ": ", name));
  return true;
}

}  // namespace

std::optional<ApiError> store_pod(Store& store, Json pod) {
  set_pod_defaults(pod);
  if (auto refusal = pod_refusal(store, pod)) return refusal;
  auto answer = store.create(resource_of(kube::k_pods), std::move(pod));
  const ApiError* error = std::get_if<ApiError>(&answer);
  return error == nullptr ? std::nullopt : std::optional(*error);
}

bool create_pod(OperatorPass& pass, Json pod) {
  const std::string name = text_at(pod, "/metadata/name");
  return report_creation(pass, store_pod(pass.store, std::move(pod)), "Pod", name);
}

bool create_service(OperatorPass& pass, Json service) {
  const std::string name = text_at(service, "/metadata/name");
  return report_creation(pass, store_service(pass.store, std::move(service)), "Service", name);
}

bool delete_pod(OperatorPass& pass, const std::string& name) {
  return delete_one(pass, kube::k_pods, name);
}

bool delete_service(OperatorPass& pass, const std::string& name) {
  return delete_one(pass, k_services, name);
}

std::vector<ObjectPtr> pods_of(const Store& store, const job::OperatedJob& job) {
  const Json labels = job_labels(job);
  std::vector<ObjectPtr> own;
  for (const ObjectPtr& pod : store.list(resource_of(kube::k_pods), job.ns)) {
    if (is_owned_by(*pod, job.uid) && has_labels(*pod, labels)) own.push_back(pod);
  }
  return own;
}

}  // namespace trainctl::local
