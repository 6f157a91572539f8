// Runs one golden case as a command line against its scripted server, on fakes.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "cli/context.h"
#include "support/case_file.h"
#include "support/fake_transport.h"
#include "support/fakes.h"

namespace trainctl::testing {

// The cases below tests/cases that concern this build, by name (`submit/exists-replace`), in order.
const std::vector<std::string>& case_names();
std::filesystem::path path_of_case(const std::string& name);
CaseFile read_case(const std::string& name);

// The traces of a run, as sections of its case.
struct Outcome {
  std::string out, err, exit;
  std::map<std::string, std::string> written;  // the files expected below written/ that are there
  std::map<std::string, std::string> disk;     // what lies in the real working directory
  std::string history;                         // the runs, if the case has any section of them
  std::vector<std::string> complaints;         // of the server
};

class GoldenCase {
 public:
  explicit GoldenCase(const CaseFile& file) : file_(file) {}
  Outcome run();
  // The case's own exchanges, then those of its worlds.
  Result<std::vector<Exchange>> exchanges() const;

  std::optional<std::vector<Exchange>> server;  // instead of those
  std::optional<Duration> ends_after;           // interrupts the run

 private:
  void set_up_files();
  void set_up_disk(cli::Context& context);
  void set_up_history(cli::Context& context);
  void set_up_console();
  void send_signals();
  Environment environment() const;
  Result<std::unique_ptr<net::Transport>> connect(const net::Endpoint& endpoint);
  std::map<std::string, std::string> written_files() const;

  const CaseFile& file_;
  std::string disk_;  // "" = none
  std::vector<Exchange> script_;
  FakeLoop loop_;
  BufferConsole console_;
  MemoryFiles files_;
  std::map<std::string, std::shared_ptr<FakeTransport>> servers_;  // by host; "" = the case's own
};

}  // namespace trainctl::testing
