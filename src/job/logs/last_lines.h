// The last lines of each replica, kept from the live stream because the operator may delete the
// pods.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "job/kind/replica.h"

namespace trainctl::job {

inline constexpr int k_digest_lines = 20;

class LastLines {
 public:
  void add(const ReplicaId& replica, std::string_view text);
  // The replica's last lines, at most k_digest_lines, oldest first, each shortened to fit a screen.
  std::vector<std::string> of(const ReplicaId& replica) const;

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

  std::map<ReplicaId, Ring> kept_;
};

}  // namespace trainctl::job
