// Compares what the processes of a silent job wait for: groups, the odd one out, a verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/process.h"

namespace trainctl::job {

// Why a member has no process to look at.
enum class Absence { none, ended, not_started, unseen };

// A process that trains, with its place in the job; or a replica without one.
struct Member {
  std::string replica;  // "worker-16"
  std::string rank;     // "17"; "" = unknown
  std::string node;     // "" = unknown
  Absence absence = Absence::none;
  std::string why;  // of Absence::unseen: what kept trainctl from looking, in words
  Process process;
  bool is_cut = false;  // the replica's answer has no end: further processes may be missing
};

// "rank 17", else the replica's name.
std::string member_name(const Member& member);
// "data.py:88 read_shard (state D, storage)", as much as is known.
std::string member_words(const Member& member);

// Members whose main threads stand at the same place.
struct MemberGroup {
  std::vector<std::size_t> members;
  std::string place;       // "train.py:140 backward", else "waits for a lock (state S, futex)"
  std::string collective;  // "all_reduce"; "" = none
};

enum class Situation {
  not_seen,     // nothing could be looked into
  stopped,      // some are stopped by a signal
  peer_ended,   // some have ended, or not started, and others wait
  odd_one_out,  // some are not in the collective of the others
  mismatch,     // the collectives, or their lines, differ
  deadlock,     // all are in the same collective
  storage,      // some wait for storage
  waiting,      // some wait for a lock, a pipe or the like
  computing,    // all compute
  mixed,        // no pattern
};
std::string_view situation_name(Situation situation);

enum class Confidence { certain, likely, possible };
std::string_view confidence_name(Confidence confidence);

struct Diagnosis {
  Situation situation = Situation::mixed;
  Confidence confidence = Confidence::possible;
  std::string sentence;
  std::string doubt;  // what limits the verdict, and what would tell more; may be empty
  std::vector<std::size_t> suspects;
  std::vector<MemberGroup> groups;  // the largest first; without absent members
};

Diagnosis diagnose(const std::vector<Member>& members);

// "rank 0 computes", "3 of 4 ranks compute"; "" when none was seen to, outside a collective, where
// ranks that wait for others may poll.
std::string computing_words(const std::vector<Member>& members);

}  // namespace trainctl::job
