// Access of the working layer on fakes, without the commands above it.
#pragma once

#include <string>
#include <utility>

#include "work/access.h"

namespace trainctl::testing {

class FakeAccess : public work::Access {
 public:
  // `client` may be null where nothing is asked of a cluster; it must outlive this.
  FakeAccess(Console& console, Files& files, Loop& loop, Environment environment = {},
             kube::Client* client = nullptr)
      : Access(console, files, loop, std::move(environment)), client_(client) {}

  Result<kube::Client*> client() override {
    if (client_ == nullptr) return Error{Code::error, "this test has no cluster", ""};
    return client_;
  }
  Status enter_worker(const std::string&) override {
    return Error{Code::usage, "this test has no worker cluster", ""};
  }
  void leave_worker() override {}
  const std::string& ns() override { return ns_; }
  const std::string& named_ns() const override { return named_ns_; }
  std::string cluster_name() const override { return "test"; }
  std::string cluster_identity() const override { return identity; }
  std::string identity = "test";
  WaitLimit* set_limit(WaitLimit* limit) override {
    if (client_ != nullptr) client_->set_limit(limit);
    return std::exchange(limit_, limit);
  }

 private:
  kube::Client* client_;
  WaitLimit* limit_ = nullptr;
  std::string ns_ = "default", named_ns_;
};

}  // namespace trainctl::testing
