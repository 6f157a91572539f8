// A store and the operator alone: the test acts as the kubelet by writing pod statuses.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "local/api/garbage.h"
#include "local/objects.h"
#include "local/operator/operator.h"
#include "local/operator/verdict.h"
#include "manifest/operator/operated.h"

namespace trainctl::testing {

using local::ServedResource;
using local_objects::served;
using namespace std::chrono_literals;

class World {
 public:
  FakeLoop loop;
  std::unique_ptr<local::Store> store = local_objects::open_store(loop);

  World() { start(); }

  void start() { operator_ = std::make_unique<local::Operator>(loop, *store); }
  void stop() { operator_ = nullptr; }

  // Calls rest() as the daemon does when nobody is connected.
  void rest() {
    operator_->rest();
    store->rest();
  }

  void wait(Duration time = 1ms) {
    bool over = false;
    const HandlePtr timer = loop.after(time, [&over] { over = true; });
    loop.run_until([&over] { return over; });
  }

  void submit(const Json& job) {
    kind_ = &local::resource_of(job::kind_of(job)->resource);
    local_objects::good(store->create(*kind_, job));
    wait();
  }

  // Edits the stored job as a client would.
  void edit(std::string_view name, std::string_view pointer, const Json& value) {
    local::modify(*store, *kind_, "ml", name, [&](Json& job) { set_at(job, pointer, value); });
    wait();
  }

  Json job(std::string_view name) const { return get(*kind_, name); }
  Json pod(std::string_view name) const { return get(served("pods"), name); }
  Json status(std::string_view name) const { return object_at(job(name), "/status"); }

  std::vector<std::string> names(std::string_view plural) const {
    std::vector<std::string> found;
    for (const auto& object : store->list(served(plural), "ml")) {
      found.push_back(text_at(*object, "/metadata/name"));
    }
    return found;
  }

  // The conditions as "Created=True Running=True", in the order of the list.
  std::string conditions(std::string_view name) const {
    std::vector<std::string> found;
    const Json job = this->job(name);
    for (const Json& each : array_at(job, "/status/conditions")) {
      found.push_back(cat(text_at(each, "/type"), '=', text_at(each, "/status")));
    }
    return join(found, " ");
  }

  Json condition(std::string_view name, std::string_view type) const {
    const Json all = array_at(job(name), "/status/conditions");
    const auto found = std::find_if(all.begin(), all.end(), [type](const Json& each) {
      return text_at(each, "/type") == type;
    });
    return found == all.end() ? Json(nullptr) : *found;
  }

  std::string message(std::string_view name, std::string_view type) const {
    return text_at(condition(name, type), "/message");
  }

  // The counts of one role as "Worker: active 1 failed 1"; "" when nothing is counted.
  std::string counts(std::string_view name, std::string_view role) const {
    std::vector<std::string> found;
    for (const char* what : {"active", "succeeded", "failed"}) {
      const auto count = int_at(job(name), cat("/status/replicaStatuses/", role, '/', what));
      if (count) found.push_back(cat(what, ' ', *count));
    }
    return join(found, " ");
  }

  void set_status(std::string_view pod, std::string_view status) {
    const Json value = from_text(status);
    local::modify(*store, served("pods"), "ml", pod, [&](Json& object) {
      set_at(object, "/spec/nodeName", "here");
      set_at(object, "/status", value);
    });
  }

  void run(std::string_view pod, int restarts = 0) {
    set_status(pod, cat("{phase: Running, containerStatuses: [{name: ", container(),
                        ", restartCount: ", restarts, ", state: {running: {}}}]}"));
    wait();
  }

  void end(std::string_view pod, int code) {
    end_unseen(pod, code);
    wait();
  }
  void end_unseen(std::string_view pod, int code) {
    set_status(pod, cat("{phase: ", code == 0 ? "Succeeded" : "Failed",
                        ", containerStatuses: [{name: ", container(), ", restartCount: 0, ",
                        "state: {terminated: {exitCode: ", code,
                        ", reason: ", code == 0 ? "Completed" : "Error", "}}}]}"));
  }

  // Deletes a pod as kubectl does, and then as the kubelet does.
  void delete_pod(std::string_view pod) {
    local_objects::good(local::delete_object(*store, loop.now(), served("pods"), "ml", pod, -1));
    wait();
  }
  void remove_pod(std::string_view pod) {
    local_objects::good(store->remove(served("pods"), "ml", pod));
    wait();
  }

  // All events of the job as "Warning PyTorchJobRestarting: message", oldest first.
  std::vector<std::string> events(std::string_view name) const {
    std::vector<std::string> found;
    for (const auto& event : store->list(served("events"), "ml")) {
      if (text_at(*event, "/involvedObject/name") != name) continue;
      found.push_back(cat(text_at(*event, "/type"), ' ', text_at(*event, "/reason"), ": ",
                          text_at(*event, "/message")));
    }
    return found;
  }

  bool has_event(std::string_view name, std::string_view event) const {
    const auto all = events(name);
    return std::find(all.begin(), all.end(), event) != all.end();
  }

 private:
  Json get(const ServedResource& resource, std::string_view name) const {
    const auto object = store->get(resource, "ml", name);
    return object == nullptr ? Json(nullptr) : *object;
  }

  std::string_view container() const { return kind_->job_kind->container; }

  const ServedResource* kind_ = nullptr;
  std::unique_ptr<local::Operator> operator_;
};

}  // namespace trainctl::testing
