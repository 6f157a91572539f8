// References named, the downward API answered, $(VAR) expanded, as the kubelet would.
#include "work/find/replica_environment.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/manifest/expansion.h"
#include "job/manifest/pod_fields.h"

namespace trainctl::work {
namespace {

class Reading {
 public:
  Reading(const Json& pod, const Json& container) : pod_(pod), container_(container) {}

  void add_all_of(const Json& source) {
    for (const auto& [member, word] :
         {std::pair{"/secretRef", "secret"}, {"/configMapRef", "configmap"}}) {
      const Json* from = find(source, member);
      if (from == nullptr) continue;
      variables.push_back(
          {text_at(source, "/prefix") + "*", "", cat(word, ":", text_at(*from, "/name"), "/*")});
    }
  }

  void add(const Json& variable) {
    EnvironmentVariable read{text_at(variable, "/name"), "", ""};
    std::erase_if(variables, [&read](const auto& other) { return other.name == read.name; });
    const Json* from = find(variable, "/valueFrom");
    if (from == nullptr) {
      read.value = job::expanded(text_at(variable, "/value"), known_);
    } else {
      follow(*from, read);
    }
    if (read.from.empty()) {
      known_[read.name] = read.value;
    } else {
      known_.erase(read.name);  // $(NAME) stays as it is
    }
    variables.push_back(std::move(read));
  }

  std::vector<EnvironmentVariable> variables;

 private:
  void follow(const Json& from, EnvironmentVariable& read) const {
    for (const auto& [member, word] :
         {std::pair{"/secretKeyRef", "secret"}, {"/configMapKeyRef", "configmap"}}) {
      const Json* key = find(from, member);
      if (key == nullptr) continue;
      read.from = cat(word, ":", text_at(*key, "/name"), "/", text_at(*key, "/key"));
      return;
    }
    if (const Json* field = find(from, "/fieldRef")) {
      const std::string path = text_at(*field, "/fieldPath");
      read.value = job::field_of(pod_, path).value_or("");
      if (read.value.empty()) read.from = "field:" + path;
    } else if (const Json* resource = find(from, "/resourceFieldRef")) {
      follow_resource(*resource, read);
    }
  }

  // The node decides about resources that the container does not request.
  void follow_resource(const Json& resource, EnvironmentVariable& read) const {
    const std::string path = text_at(resource, "/resource");
    const bool own = text_at(resource, "/containerName").empty();
    const auto amount =
        own ? job::resource_of(container_, path, text_at(resource, "/divisor", "1")) : std::nullopt;
    (amount ? read.value : read.from) = amount.value_or("resource:" + path);
  }

  const Json& pod_;
  const Json& container_;
  job::Variables known_;
};

}  // namespace

std::vector<EnvironmentVariable> environment_of(const Json& pod, const Json& container) {
  Reading reading(pod, container);
  for (const Json& source : array_at(container, "/envFrom")) reading.add_all_of(source);
  for (const Json& variable : array_at(container, "/env")) reading.add(variable);
  return std::move(reading.variables);
}

}  // namespace trainctl::work
