// A batch script as the flags and words of a submit-pytorch line: a node becomes a replica, which
// runs the whole script.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "slurm/script.h"

namespace trainctl::slurm {

struct Flag {
  std::string name;  // without dashes
  std::vector<std::string> values;
  int line = 0;  // of the directive; 0 = of none
};

struct Translation {
  std::vector<Flag> flags;
  std::vector<std::string> words;     // the program
  std::string tasks;                  // how srun starts several tasks in a pod; "" = it does not
  std::vector<std::string> warnings;  // what has no effect
};

// Says where the jobs run.
enum class Place { partition, typed, this_machine };

// The facts of the rest of the line and of the configuration.
struct Surroundings {
  std::vector<std::string> presets;  // a partition is the preset of its name
  Place place = Place::partition;
  bool waits = false;                  // the line stays until its jobs have ended
  std::vector<std::string> arguments;  // of the script
  std::optional<long> workers = {};    // of a typed --workers: the nodes
};

// Code::usage, with the line, for values that cannot be read and for options without which the job
// would be another one.
Result<Translation> translate(const Script& script, const Surroundings& line);

}  // namespace trainctl::slurm
