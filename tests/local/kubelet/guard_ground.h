// Attempts in a directory of a test's own: real guards, real programs.
#pragma once

#include <cstdlib>

#include "base/file/small_file.h"
#include "base/text/text.h"
#include "local/kubelet/guard.h"
#include "local/kubelet/log_reader.h"
#include "local/kubelet/runner.h"
#include "local/objects.h"
#include "support/net_server.h"

namespace trainctl::local {

struct Ground {
  GuardOrder order(std::vector<std::string> argv) {
    GuardOrder order;
    order.directory = cat(place.path(), "/", ++count);
    make_directories(cat(order.directory, "/", k_stage));
    order.argv = std::move(argv);
    order.environment = {"PATH=/usr/bin:/bin", "X=1"};
    order.working_directory = "/";
    return order;
  }
  GuardOrder shell(std::string_view script) { return order({"sh", "-c", std::string(script)}); }
  void wait_for_start(const Attempt& attempt) {
    loop.run_until([&] { return attempt.record().started || attempt.is_over(); });
  }
  ContainerExit wait(const Attempt& attempt) {
    loop.run_until([&] { return attempt.is_over(); });
    return *attempt.record().exit;
  }
  ContainerExit run(const GuardOrder& order) {
    return wait(*start_attempt(loop, order, [] {}));
  }
  std::string output(const GuardOrder& order) {
    const auto stream = open_log(watcher, order.directory, {});
    std::string text;
    while (const auto part = stream->read(65536)) text += *part;
    return text;
  }

  testing::TemporaryDirectory place;
  UvLoop loop;
  LogWatcher watcher{loop};
  int count = 0;
};

inline pid_t pid_in(const std::string& text) {
  return std::atoi(text.c_str());
}

}  // namespace trainctl::local
