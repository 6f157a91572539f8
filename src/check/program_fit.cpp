// Looks at the words of the training containers.
#include <optional>

#include "base/text/text.h"
#include "check/judges.h"
#include "manifest/elastic.h"
#include "manifest/manifest.h"
#include "manifest/program.h"

namespace trainctl::job {
namespace {

std::vector<std::string> words_of_program(const Json& container) {
  std::vector<std::string> words;
  for (const char* list : {"/command", "/args"}) {
    for (const Json& word : array_at(container, list)) {
      if (!word.is_string()) continue;
      // A shell's script is one word with many inside.
      for (std::string& one : split(word.get<std::string>(), ' ')) words.push_back(std::move(one));
    }
  }
  return words;
}

// The value of an option in either form, `--backend nccl` or `--backend=nccl`; "" = not given.
std::string option_value(const std::vector<std::string>& words, std::string_view option) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const Halves halves = split_once(words[at], '=');
    if (!halves.first.starts_with("--") || halves.first.substr(2) != option) continue;
    if (halves.found) return halves.second;
    if (at + 1 < words.size()) return words[at + 1];
  }
  return "";
}

std::string backend_of(const std::vector<std::string>& words) {
  for (const std::string_view option : {"backend", "dist-backend", "dist_backend"}) {
    if (std::string value = option_value(words, option); !value.empty()) return lower(value);
  }
  return "";
}

void judge_backend(const std::vector<std::string>& words, std::int64_t gpus, std::string_view role,
                   Findings& findings) {
  const std::string backend = backend_of(words);
  if (backend == "nccl" && gpus == 0) {
    findings.push_back({Severity::may_fail, "program",
                        cat(role, " uses the backend nccl and has no GPU"),
                        "ask for GPUs with -g N, or use the backend gloo"});
  }
  if (backend == "gloo" && gpus > 0) {
    findings.push_back({Severity::may_fail, "program",
                        cat(role, " uses the backend gloo, which is slow between GPUs"),
                        "use the backend nccl"});
  }
}

// An entrypoint of the image may take these words.
void judge_program_word(const Json& container, std::string_view role, Findings& findings) {
  if (!array_at(container, "/command").empty()) return;
  const auto fault = program_word_fault(text_at(container, "/args/0"));
  if (!fault) return;
  findings.push_back({Severity::may_fail, "program", cat(role, ": ", fault->message), fault->hint});
}

void judge_processes(const Kind& kind, const Json& manifest, const std::vector<std::string>& words,
                     std::int64_t gpus, std::string_view role, Findings& findings) {
  const std::int64_t processes = processes_per_pod(kind, manifest);
  if (processes <= 1) return;
  const std::string nodes = option_value(words, "nnodes");
  if (nodes.find("WORLD_SIZE") != std::string::npos) {
    findings.push_back(
        {Severity::may_fail, "program",
         cat(role, " takes WORLD_SIZE for the number of nodes, but WORLD_SIZE counts processes, ",
             processes, " in each replica"),
         "pass $PET_NNODES, or leave the number of nodes to torchrun"});
  }
  if (gpus > 0 && processes > gpus) {
    findings.push_back(
        {Severity::may_fail, "program",
         cat(role, " starts ", processes, " processes and has ", plural(gpus, "GPU")),
         cat("use --nproc-per-node=", gpus)});
  }
}

void judge_restarts(const Kind& kind, const Json& manifest, Findings& findings) {
  const auto restarts = int_at(manifest, cat(k_elastic_policy, "/maxRestarts"));
  const auto limit = int_at(manifest, cat(kind.controller.run_policy, "/backoffLimit"));
  if (!restarts || !limit || *restarts <= *limit) return;
  findings.push_back({Severity::may_fail, "program",
                      cat("the backoff limit of ", *limit, " ends the job before its ", *restarts,
                          " elastic restarts"),
                      cat("use --backoff-limit=", *restarts)});
}

}  // namespace

Findings judge_program(const Kind& kind, const Json& manifest) {
  Findings findings;
  for (const Replica& replica : replicas_of(kind, manifest)) {
    if (replica.role == nullptr) continue;
    const Json* container = find_container(*replica.spec, training_container(kind, *replica.spec));
    if (container == nullptr) continue;
    const auto words = words_of_program(*container);
    const std::int64_t gpus = gpus_of(*container);
    judge_program_word(*container, replica.role->prefix, findings);
    judge_backend(words, gpus, replica.role->prefix, findings);
    judge_processes(kind, manifest, words, gpus, replica.role->prefix, findings);
  }
  judge_restarts(kind, manifest, findings);
  return findings;
}

}  // namespace trainctl::job
