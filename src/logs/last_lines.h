// The last lines of each replica's latest two runs, kept from the live stream because the operator
// may delete the pods.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/kind/replica.h"

namespace trainctl::job {

inline constexpr int k_digest_lines = 20;

// Returns a line as a digest shows it: a very long line is cut after a whole character and gets an
// ellipsis.
std::string digest_line(std::string_view line);

// Lines that cannot say how a program ended, as progress bars, are not kept.
class LastLines {
 public:
  // A run's log is read from here on, though it may hold no line. Runs come in their order; late
  // lines of a run before the latest two are dropped.
  void begin(const ReplicaId& replica, const RunId& run);
  void add(const ReplicaId& replica, const RunId& run, std::string_view text);

  // The last lines of this run, at most k_digest_lines, oldest first, each shortened to fit a
  // screen; nullopt when its log was not read.
  std::optional<std::vector<std::string>> of(const ReplicaId& replica, const RunId& run) const;
  // Returns the last lines of the latest run whose log was read.
  std::vector<std::string> latest(const ReplicaId& replica) const;

 private:
  // One block of memory per replica, since there may be a thousand of them; once it has grown large
  // enough, adding a line allocates nothing.
  class Ring {
   public:
    void add(std::string_view line);
    std::vector<std::string> lines() const;

   private:
    void write(std::string_view text);
    void drop_oldest();
    void grow(std::size_t size);
    std::string text() const;

    std::string bytes_;  // lines with their newlines, starting at begin_ and wrapping around
    std::size_t begin_ = 0, size_ = 0;
    int count_ = 0;
  };

  struct Run {
    RunId id;
    Ring lines;
  };
  // A second one exists for replicas that were restarted.
  struct Runs {
    Run latest;
    std::unique_ptr<Run> before;
    const Run* find(const RunId& run) const;
  };

  std::map<ReplicaId, Runs> kept_;
};

}  // namespace trainctl::job
