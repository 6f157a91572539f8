// Fakes of every interface to the outside: memory files, a buffer console, a loop with its own
// time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/console/console.h"
#include "base/file/files.h"
#include "base/loop/loop.h"

namespace trainctl::testing {

class BufferConsole : public Console {
 public:
  int out_descriptor() const override { return -1; }
  Result<std::string> read_some() override { return std::exchange(stdin_text, ""); }
  std::optional<std::string> read_line() override;
  Result<std::string> read_all(std::size_t limit) override;

  std::string stdout_text;
  std::string stderr_text;
  std::string stdin_text;
  std::optional<std::size_t> pipe_breaks_after;  // bytes of stdout until Code::broken_pipe
  std::optional<std::size_t> reader_takes;       // bytes per second; unset = unlimited

 protected:
  Status write_out(std::string_view bytes) override;
  bool out_is_ready() override { return true; }
  Result<std::size_t> offer_out(std::string_view bytes) override;
  void write_err(std::string_view bytes) override;

 private:
  bool reader_is_busy_ = false;
};

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

class MemoryFiles : public Files {
 public:
  Result<std::string> read(const std::string& path) override;
  std::optional<OpenedFile> open_once(const std::string& path) override;
  Status write(const std::string& path, std::string_view content,
               Readers readers = Readers::as_before) override;
  Status append(const std::string& path, std::string_view content) override;
  // Fails for paths below a file, and below /proc.
  Status check_writable(const std::string& path) override;
  bool exists(const std::string& path) override;
  std::optional<FileFacts> facts(const std::string& path) override;
  // Other than files, directories and links are those of odd_facts.
  std::optional<FileNode> node(const std::string& path) override;
  std::optional<ReadNode> read_below(const std::string& directory,
                                     const std::string& path) override;
  std::vector<std::string> list(const std::string& directory) override;

  std::map<std::string, std::string> files;
  std::map<std::string, std::string> links;    // symbolic links by path, to absolute paths
  std::map<std::string, FileFacts> odd_facts;  // facts of files that are not plain files of ours
  std::set<std::string> private_files;         // those that only their owner may read
  std::string write_fails_with;                // when set, every write fails with this message
  std::function<void(const std::string& path)> on_read;  // called after each reading of a file

 private:
  std::string followed(const std::string& path) const;
};

// When the time of every FakeLoop begins: 2026-01-02T03:04:05Z.
inline constexpr Time k_begin{std::chrono::seconds(1767323045)};

// A loop whose time jumps from timer to timer, so that a test of an hour's waiting takes no time.
// Starts at 2026-01-02T03:04:05Z. run_until fails the test (throws) when nothing is left to happen.
class FakeLoop : public Loop {
 public:
  Time now() const override;
  HandlePtr after(Duration delay, std::function<void()> callback) override;
  HandlePtr on_signal(int number, std::function<void()> callback) override;
  HandlePtr spawn(ChildSpec spec, std::function<void(Result<ChildExit>)> done) override;
  // Calls back after a second.
  HandlePtr on_writable(int fd, std::function<void()> callback) override;
  // Calls back at every tenth of a second: what a user types is there from the beginning.
  HandlePtr on_readable(int fd, std::function<void()> callback) override;
  // Never calls back.
  HandlePtr on_reader_gone(int, std::function<void()>) override { return nullptr; }
  void run_until(const std::function<bool()>& done) override;

  // Delivers a signal after `delay`.
  void raise_after(Duration delay, int number);
  // Scripted children answer spawns in order; each must match argv[0].
  struct ScriptedChild {
    std::string program;
    int status = 0;
    std::string output;
    bool missing = false;
    Duration takes{};
  };
  std::vector<ScriptedChild> children;
  std::vector<ChildSpec> spawned;

 private:
  struct Timer;
  std::multimap<Time, std::shared_ptr<Timer>> timers_;
  std::multimap<int, std::shared_ptr<Timer>> signals_;
  Time now_ = k_begin;
};

}  // namespace trainctl::testing
