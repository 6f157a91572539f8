// The program of a job: from a runtime, as a word that no machine can run, or none of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "manifest/render.h"

namespace trainctl::job {

// Such a job has its program here: image, command, args and env, as in a container.
inline constexpr std::string_view k_runtime_program = "/spec/trainer";

// True for kinds whose jobs have no templates of pods.
bool runs_by_runtime(const Kind& kind);
// "2 pods (node 2), 4 GPUs, runtime torch-distributed"
std::string runtime_footprint(const Kind& kind, const Json& job);
// The GPUs of such a job; nullopt where its runtime decides their number.
std::optional<std::int64_t> runtime_gpus(const Kind& kind, const Json& job);
// Refuses jobs that the controller would accept but never run, or refuse with a message that names
// no field.
Status check_runtime_program(const Kind& kind, const Json& job);

// Recognises a first word behind `--` that no machine can run as a program. Code::usage for a whole
// command line in one word ("python3 train.py", "cd a && ls") and for a script that would be
// searched for in PATH (train.py); the hint shows the words to write. nullopt for every other word,
// and for paths.
std::optional<Error> program_word_fault(const std::string& word);

// The time limit of an idle job, in seconds: without it, a forgotten job or a killed client would
// hold GPUs for ever.
inline constexpr std::int64_t k_longest_idle = std::int64_t{24} * 60 * 60;

// Changes a rendered job so that its training containers wait until they are stopped. Only the
// leading replica stays, unless `line` sets numbers of replicas; and the job gets a time limit,
// unless it has one.
void make_idle(const RenderInput& line, Json& manifest);

}  // namespace trainctl::job
