// The console of one of several jobs whose logs are printed together.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/console/console.h"

namespace trainctl::job {

// Stdout of several jobs: a line that was taken in part is ended before another job's begins.
struct SharedStdout {
  const void* mid_line = nullptr;  // the console whose line it is
};

// Every message names the job. There is no status line, since there would be one for each job.
class JobConsole : public Console {
 public:
  // Both must outlive this.
  JobConsole(Console& console, SharedStdout& shared, std::string job_name);
  ~JobConsole() override;
  JobConsole(const JobConsole&) = delete;
  JobConsole& operator=(const JobConsole&) = delete;

  int out_descriptor() const override;
  std::optional<std::string> read_line() override { return console_.read_line(); }
  Result<std::string> read_all(std::size_t limit) override { return console_.read_all(limit); }

 protected:
  Status write_out(std::string_view bytes) override { return console_.out(bytes); }
  bool out_is_ready() override { return true; }  // the other console looks itself
  Result<std::size_t> offer_out(std::string_view bytes) override;
  void write_err(std::string_view bytes) override;

 private:
  Console& console_;
  SharedStdout& shared_;
  std::string job_name_;
  int own_out_;  // a descriptor can be watched once only, and each job waits for stdout; -1 = none
};

}  // namespace trainctl::job
