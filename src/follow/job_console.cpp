// Passes everything on to the one console.
#include "follow/job_console.h"

#include <utility>

#include <unistd.h>

#include "base/text/text.h"

namespace trainctl::job {

JobConsole::JobConsole(Console& console, SharedStdout& shared, std::string job_name)
    : console_(console),
      shared_(shared),
      job_name_(std::move(job_name)),
      own_out_(::dup(console.out_descriptor())) {
  in_is_tty = console.in_is_tty;
  out_is_tty = console.out_is_tty;
  err_is_tty = console.err_is_tty;
  colour = console.colour;
  quiet = console.quiet;
  out_is_file = console.out_is_file;
  ci = console.ci;
  width = console.width;
  height = console.height;
}

JobConsole::~JobConsole() {
  if (shared_.mid_line == this) shared_.mid_line = nullptr;
  if (own_out_ >= 0) ::close(own_out_);
}

int JobConsole::out_descriptor() const {
  return own_out_ >= 0 ? own_out_ : console_.out_descriptor();
}

Result<std::size_t> JobConsole::offer_out(std::string_view bytes) {
  if (shared_.mid_line != nullptr && shared_.mid_line != this) return std::size_t{0};
  Result<std::size_t> taken = console_.offer(bytes);
  if (taken && *taken > 0) shared_.mid_line = bytes[*taken - 1] == '\n' ? nullptr : this;
  return taken;
}

void JobConsole::write_err(std::string_view bytes) {
  // The other console ends the unfinished line of stdout itself.
  if (bytes.starts_with('\n')) bytes.remove_prefix(1);
  if (bytes.empty()) return;
  const bool named = bytes.starts_with(job_name_ + ":");
  console_.command(named ? std::string(bytes) : cat(job_name_, ": ", bytes));
}

}  // namespace trainctl::job
