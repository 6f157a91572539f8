// Copying between this machine and a container, over connections that may be cut.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/file/checksum.h"
#include "base/text/text.h"
#include "kube/client/backoff.h"
#include "transfer/script.h"

namespace trainctl::work {

struct CopyOrder {
  std::string remote;  // path in the container
  std::string local;   // as the user typed it
  bool verify = true;  // compare checksums of a file
};

// A program that prints checksums of files.
struct SumTool {
  std::string_view name;
  Checksum::Method method;
  // A script that prints the checksum of the file that is its first argument.
  std::string script() const { return cat(name, " <\"$1\""); }
};

// The object at a path in the container, and the tools there to copy it with.
struct RemoteFacts {
  enum class Kind { missing, file, directory, other };
  Kind kind = Kind::missing;
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  unsigned mode = 0644;
  std::string identity;         // changes with the file; "" = unknown
  std::set<std::string> tools;  // "tar", "tail", …
  bool has(const std::string& tool) const { return tools.contains(tool); }
  // The fastest one there.
  std::optional<SumTool> sum_tool() const;
};

// A copy under way: shows progress, and continues after a cut.
class Copying {
 public:
  explicit Copying(Shell& shell);
  ~Copying() { shell_.access.console.set_status(""); }
  Copying(const Copying&) = delete;
  Copying& operator=(const Copying&) = delete;

  Shell& shell() { return shell_; }
  Console& console() { return shell_.access.console; }
  void expect(std::uint64_t total) { total_ = total; }
  // Notes that bytes were copied, which shows that the connection works.
  void copied(std::uint64_t bytes);
  // Sets the number of bytes at the destination so far.
  void at(std::uint64_t done);
  std::uint64_t done() const { return done_; }
  void show(std::string_view instead = "");
  Duration elapsed() const { return shell_.access.loop.now() - began_; }

  // Waits for the next attempt. Returns the error when there will be none.
  Status wait_after(Error error);
  // Runs a short script to its end, through cuts.
  Result<std::string> answer(std::string_view script, const std::vector<std::string>& arguments);
  Result<RemoteFacts> facts_of(const std::string& path);

  // Names what is not copied; the copy then fails in the end.
  void leave_out(const Error& why);
  // Says what has been copied; an error where something was left out.
  Status finish(const std::string& source);

 private:
  void watch_for_silence(bool told = false);

  Shell& shell_;
  Time began_, shown_{};
  HandlePtr silence_;
  std::uint64_t done_ = 0;
  std::optional<std::uint64_t> total_;
  kube::Backoff backoff_{std::chrono::minutes(5)};
  std::string trouble_;
  long left_out_ = 0;
};

Status copy_from(Shell& shell, CopyOrder order);
Status copy_to(Shell& shell, CopyOrder order);

// The last name of a path; "" for a root, "." and "..".
std::string last_name(std::string path);
// The path, written so that no program takes it for an option.
std::string as_argument(const std::string& path);
// The checksum in a line of a SumTool.
std::string checksum_in(std::string_view printed);
// The error of a file that is not what it was when its copy began.
Error changed_meanwhile(const std::string& path);
// The error of a container in which directories cannot be copied.
Error no_tar(const Shell& shell);
// Returns how long to wait for the checksum of a file that took `copying` to copy.
Duration checksum_patience(Duration copying);

}  // namespace trainctl::work
