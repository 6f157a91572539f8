// A log line, whose it is, and who hears what becomes of it.
#pragma once

#include <string_view>

#include "logs/log_printer.h"
#include "manifest/kind/kind.h"

namespace trainctl::testing {

inline job::LogOrigin origin(int attempt = 1) {
  return {{&job::find_kind("pytorch")->roles[1], 0}, 1, "pytorch", attempt};
}

inline kube::LogLine line(std::string_view text, bool complete = true) {
  return {Time{}, "2026-01-02T03:00:05.5Z", text, complete};
}

struct OutputFaults : job::OutputWatcher {
  int lost = 0, unsaved = 0;
  void on_output_lost(Error) override { ++lost; }
  void on_unsaved(Error) override { ++unsaved; }
  void on_hold(bool) override {}
};

}  // namespace trainctl::testing
