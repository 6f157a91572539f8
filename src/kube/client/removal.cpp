// Deletes with a precondition, and reads the object again when the server refuses that.
#include "kube/client/removal.h"

#include <utility>
#include <variant>

namespace trainctl::kube {
namespace {

Json delete_body(const DeleteOptions& options) {
  Json body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
  body["propagationPolicy"] = "Background";
  if (!options.uid.empty()) body["preconditions"] = Json{{"uid", options.uid}};
  if (!options.version.empty()) body["preconditions"]["resourceVersion"] = options.version;
  return body;
}

class Removal : public Handle {
 public:
  Removal(Client& client, RemovalTarget target, std::function<void(Status)> done)
      : client_(client), target_(std::move(target)), done_(std::move(done)) {
    DeleteOptions options;
    options.uid = target_.uid;
    auto request = delete_request(target_.resource, target_.ns, target_.name, options);
    if (!request) {
      pending_ =
          client_.loop().after({}, [this, error = std::move(request).error()] { done_(error); });
      return;
    }
    pending_ = client_.fetch(*std::move(request), [this](std::variant<Json, Failure> answer) {
      const Failure* refused = std::get_if<Failure>(&answer);
      if (refused == nullptr || refused->error.code == Code::not_found) return done_({});
      if (refused->error.code != Code::refused) return done_(refused->error);
      look_again(refused->error);
    });
  }

 private:
  // The deletion is refused when a new object has the name by now, because somebody else was
  // faster.
  void look_again(const Error& refusal) {
    net::Request request;
    auto path = object_path(target_.resource, target_.ns, target_.name);
    if (!path) return done_(refusal);
    request.target = *std::move(path);
    pending_ = client_.fetch(std::move(request), [this, refusal](std::variant<Json, Failure> now) {
      const Json* object = std::get_if<Json>(&now);
      const bool is_gone = object != nullptr ? text_at(*object, "/metadata/uid") != target_.uid
                                             : std::get<Failure>(now).error.code == Code::not_found;
      done_(is_gone ? Status() : Status(refusal));
    });
  }

  Client& client_;
  RemovalTarget target_;
  std::function<void(Status)> done_;
  HandlePtr pending_;
};

}  // namespace

Result<net::Request> delete_request(const Resource& resource, std::string_view ns,
                                    std::string_view name, const DeleteOptions& options) {
  net::Request request;
  request.method = "DELETE";
  TRY_ASSIGN(request.target, object_path(resource, ns, name));
  request.body = dump(delete_body(options));
  return request;
}

HandlePtr start_removal(Client& client, RemovalTarget target, std::function<void(Status)> done) {
  return std::make_unique<Removal>(client, std::move(target), std::move(done));
}

}  // namespace trainctl::kube
