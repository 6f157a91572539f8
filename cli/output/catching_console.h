// A console that keeps what is printed, for what goes into a file or to another program.
#pragma once

#include <cstddef>
#include <string>

#include "base/console/console.h"

namespace trainctl::cli {

// The output of a command.
struct Caught {
  std::string out, err;
};

// Has neither a terminal nor stdin. Refuses stdout above 16 MiB; drops such messages.
class CatchingConsole : public Console {
 public:
  static constexpr std::size_t k_most_output = std::size_t{16} << 20;

  explicit CatchingConsole(Caught& caught) : caught_(caught) { out_is_file = true; }

  int out_descriptor() const override { return -1; }
  std::optional<std::string> read_line() override { return std::nullopt; }
  Result<std::string> read_all(std::size_t) override { return std::string(); }

 protected:
  Status write_out(std::string_view bytes) override {
    if (caught_.out.size() + bytes.size() > k_most_output)
      return Error{Code::error, "the output is above 16 MiB", "ask for less of it"};
    caught_.out += bytes;
    return {};
  }
  bool out_is_ready() override { return true; }
  Result<std::size_t> offer_out(std::string_view bytes) override {
    TRY(write_out(bytes));
    return bytes.size();
  }
  void write_err(std::string_view bytes) override {
    if (caught_.err.size() + bytes.size() <= k_most_output) caught_.err += bytes;
  }

 private:
  Caught& caught_;
};

}  // namespace trainctl::cli
