// A daemon's order to the guard of a running container: it goes over a socket in the attempt's
// directory, with the descriptors of the program's streams.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file/descriptor.h"

namespace trainctl::local {

inline constexpr char k_door_file[] = "door";    // the guard's socket in the attempt's directory
inline constexpr char k_input_file[] = "stdin";  // the FIFO of a program that has a stdin

struct ExecOrder {
  std::vector<std::string> argv;  // empty = no program: the container's own stdin is to end
  bool terminal = false;          // the only stream is a terminal; else stdin, stdout and stderr
};
// The guard answers once: one of these, a space, the words of a runtime or an exit status, and a
// line's end. A missing answer means that the guard is gone.
inline constexpr std::string_view k_exec_fault = "fault";
inline constexpr std::string_view k_exec_exit = "exit";

// A socket that listens in that directory, whose path may be longer than a socket's address.
Descriptor open_door(const std::string& directory);
// The connection that answers an order; none when nobody listens there.
Descriptor send_order(const std::string& directory, const ExecOrder& order,
                      std::span<const int> streams);

struct ReceivedOrder {
  ExecOrder order;
  std::vector<Descriptor> streams;
};
std::optional<ReceivedOrder> receive_order(int connection);

}  // namespace trainctl::local
