// Reads values as Slurm writes them; each function returns "" or nullopt for text that is none.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trainctl::slurm {

// The number in "4", "gpu:4" and "gpu:a100:4"; "gpu" is one.
std::string gpu_count(const std::string& value);
// A size in mebibytes: "4G", "4096M", "4096". Slurm's units are powers of 1024.
std::optional<long> mebibytes(const std::string& value);
// That size as Kubernetes writes it, in the unit that was typed: "4Gi".
std::string binary_size(const std::string& value);
// A duration as trainctl writes it, of "90" minutes, "30:00", "2:00:00", "1-12" days and hours,
// "1-12:30"; and of trainctl's own "2h".
std::string clock_time(const std::string& value);
// The names in "n1,n[3-5,9]".
std::vector<std::string> host_names(const std::string& list);

}  // namespace trainctl::slurm
