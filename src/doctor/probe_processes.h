// Looks into the processes of all replicas of a job at once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "doctor/diagnosis.h"
#include "work/access.h"
#include "work/session/target.h"

namespace trainctl::work {

// The lines that the probe printed in one replica, for a file.
struct RawLook {
  std::string replica;
  std::string text;
};

struct InsideLook {
  std::string job, ns;
  std::string ended_as;  // "Failed"; "" while the job has not ended
  bool is_part = false;  // the job has further replicas, which were not to be looked into
  Time taken{};
  std::optional<Time> last_line;     // of all replicas, by the node's clock
  std::string position, gpus;        // "1204/2000", "GPU 91 %, 34 of 80 GiB"; "" = unknown
  std::string flight_record;         // what dumps of PyTorch's flight recorder say; "" = none read
  std::vector<job::Member> members;  // in rank order; several for a replica of several ranks
  std::vector<RawLook> raw;          // of the replicas that answered
  std::vector<Target> targets;       // of the replicas whose processes are members
  std::optional<Error> first_error;  // what kept trainctl from looking into the first of the others
};

// A py-spy of this machine, for images without one.
struct StackTool {
  std::string path;     // absolute; replicas of the embedded cluster run the file itself
  std::string content;  // goes to every other replica
};

// The error when no replica could be looked into: the first refusal says why.
Error unseen(const InsideLook& look);

// Runs the probe in the main container of each replica, or of the one that `found` or the query
// names. Waits at most 8 s for each, and keeps at most 1 MiB of an answer. A replica that cannot be
// looked into is a member without a process; an error is one of finding the job, or a signal. With
// a tool that is sent, it waits for up to a minute.
Result<InsideLook> probe_processes(Access& access, const TargetQuery& query,
                                   const std::optional<StackTool>& tool = {});
// The same of a job that is found already.
Result<InsideLook> probe_processes(Access& access, const FoundPods& found,
                                   const std::string& container,
                                   const std::optional<StackTool>& tool = {});
// The same without running the loop: `on_end` is called on a later turn, unless the handle is
// destroyed before. After `longest` it shows what has come by then.
HandlePtr start_look(Access& access, const FoundPods& found, const std::string& container,
                     Duration longest, std::function<void(InsideLook)> on_end);

// Adds to a look (ask_stacks.cpp): sends SIGUSR1 to those of its processes that can be asked to
// write their stack into their log, and puts the stacks that come into its members. A notice names
// the processes before. An error is a signal to this program.
Status ask_for_stacks(Access& access, InsideLook& look);
// Adds to a look (read_dumps.cpp): reads each dump of PyTorch's flight recorder that it has found,
// at most 8 MiB of it, and puts together what they say. An error as above.
Status read_dumps(Access& access, InsideLook& look);

}  // namespace trainctl::work
