// Every command and flag that a message, a hint or a document advises exists, and takes the value
// that is advised.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cli/command.h"
#include "cli/options/parse.h"
#include "support/all_commands.h"

namespace trainctl::testing {
namespace advice_test {

namespace fs = std::filesystem;

// Flags of the programs that these files start.
const std::map<std::string, std::set<std::string>> k_of_other_programs = {
    {"src/work/code/git.cpp",
     {"name-only", "get-regexp", "absolute-git-dir", "get", "cached", "others", "exclude-standard",
      "verify", "relative", "no-ext-diff", "ignore-submodules"}},
    {"src/manifest/flags/init_containers.cpp",
     {"connect-timeout", "constraint", "depth", "extra-index-url", "index-url", "no-deps",
      "oneline", "only-show-errors", "recursive", "retry", "speed-limit", "speed-time", "target",
      "upgrade", "version"}},
    {"src/slurm/node_share.cpp", {"gpus-per-node"}},
    {"src/transfer/fetch_directory.cpp", {"exclude"}},
    {"src/kube/client/api_error.cpp", {"subresource"}},
    {"src/work/find/find_job.cpp", {"server-side"}},
    {"src/options/table/synonyms.cpp",
     {"user",     "users",   "jobs",       "gpus-per-task", "ntasks-per-node",
      "pty",      "lr",      "jobid",      "time",          "partition",
      "nodelist", "account", "qos",        "gpus",          "exclusive",
      "hold",     "label",   "no-requeue", "overcommit",    "parsable",
      "quiet",    "requeue", "test-only",  "unbuffered",    "verbose",
      "wait",     "wrap",    "exclude",    "start"}},
    {"src/options/table/slurm_questions.cpp",
     {"account",  "accounts",    "allocations", "allsteps",  "allusers",  "array",       "batch",
      "brief",    "clusters",    "constraints", "ctld",      "delimiter", "duplicates",  "endtime",
      "format",   "Format",      "full",        "hide",      "hurry",     "interactive", "iterate",
      "jobid",    "jobs",        "licenses",    "long",      "me",        "ncpus",       "nnodes",
      "nodelist", "noheader",    "parsable",    "parsable2", "partition", "pidformat",   "qos",
      "quiet",    "reservation", "signal",      "sort",      "start",     "starttime",   "state",
      "states",   "uid",         "units",       "user",      "users",     "wckey",       "wckeys"}},
    {"cli/options/globals.cpp", {"ntasks"}},
    {"cli/options/parse.cpp", {"time"}},
    {"cli/output/slurm_notes.h",
     {"export", "gpus-per-node", "job-name", "mem", "ntasks-per-node", "partition", "time"}},
    {"src/options/table/flag_synonyms.cpp",
     {"account",       "after",          "after-ok",    "chdir",           "constraint",   "cpus",
      "cpus-per-task", "dependency",     "error",       "export",          "gang",         "grid",
      "mail-type",     "mail-user",      "mem-per-cpu", "mem-per-gpu",     "qos",          "gpus",
      "gpus-per-node", "gpus-per-task",  "gres",        "job-name",        "listen",       "mem",
      "nnodes",        "no-tree-config", "nodelist",    "ntasks-per-node", "open",         "param",
      "partition",     "recursive",      "requeue",     "running-timeout", "share-memory", "shell",
      "sweep",         "time",           "write"}},
    {"cli/run.cpp", {"version"}},  // before a command
    {"src/follow/gpu_watch.cpp", {"query-gpu", "format"}},
    {"src/doctor/probe_script.cpp", {"full-filenames", "nonblocking", "pid"}},
    // Properties of a style sheet.
    {"src/report/html.cpp",
     {"soft", "line", "bad", "panel", "busy", "ink", "good", "starting", "running", "queued",
      "paper"}},
};
// Words behind the program's name that end a sentence, and are no command.
const std::set<std::string> k_verbs = {"has",   "submits", "waited", "does",  "knows",
                                       "reads", "cannot",  "needs",  "itself"};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The string literals of C++ source, without what comments and characters hold.
std::vector<std::string> literals(const std::string& source) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source.compare(at, 2, "//") == 0) {
      at = std::min(source.find('\n', at), source.size());
    } else if (source[at] == '\'' && at > 0 && std::isalnum(source[at - 1]) == 0) {
      at += source[at + 1] == '\\' ? 3 : 2;
    } else if (source.compare(at, 3, "R\"(") == 0) {
      const std::size_t end = source.find(")\"", at);
      all.push_back(source.substr(at + 3, end - at - 3));
      at = end + 1;
    } else if (source[at] == '"') {
      std::string literal;
      while (source[++at] != '"') {
        literal += source[at];
        if (source[at] == '\\') literal += source[++at];
      }
      all.push_back(std::move(literal));
    }
  }
  return all;
}

bool is_word(char c) {
  return std::islower(static_cast<unsigned char>(c)) != 0 ||
         std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-';
}

std::string word_at(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(at, end - at);
}

struct Advised {
  std::string flag;
  std::string value;  // "" = none
};

std::vector<Advised> advised_flags(std::string text) {
  // Words behind -- belong to the program that the job runs.
  text = text.substr(0, text.find("-- "));
  std::vector<Advised> all;
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
    const bool begins = at == 0 || (!is_word(text[at - 1]) && text[at - 1] != '_');
    Advised one{word_at(text, at + 2), ""};
    if (!begins || one.flag.empty() || one.flag.ends_with('-')) continue;
    const std::size_t end = at + 2 + one.flag.size();
    if (end < text.size() && text[end] == '=') one.value = word_at(text, end + 1);
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::string> advised_commands(const std::string& text) {
  std::vector<std::string> all;
  constexpr std::string_view k_program = "trainctl ";
  for (std::size_t at = text.find(k_program); at != std::string::npos;
       at = text.find(k_program, at + 1)) {
    const std::string word = word_at(text, at + k_program.size());
    if (!word.empty() && !word.ends_with('-') && !word.starts_with('-')) all.push_back(word);
  }
  return all;
}

// Every flag of every command, and whether some command takes a value of it.
class Flags {
 public:
  Flags() {
    for (const cli::Command& command : all_commands().all()) {
      options::Typed typed;
      typed.defined = options::Typed::Defined::each_role;
      parsed_.push_back(std::make_unique<cli::ParsedCommand>(command, typed));
      for (CLI::Option* option : parsed_.back()->app().get_options()) {
        for (const std::string& name : option->get_lnames()) options_[name].push_back(option);
      }
    }
  }

  bool has(const std::string& flag) const { return options_.contains(flag); }

  // A placeholder of a value ("=N") is none.
  bool takes(const Advised& advised) const {
    if (advised.value.empty()) return true;
    const auto& options = options_.at(advised.flag);
    return std::any_of(options.begin(), options.end(), [&](CLI::Option* option) {
      option->clear();
      option->add_result(advised.value);
      try {
        option->run_callback();
        return true;
      } catch (const CLI::Error&) {
        return false;
      }
    });
  }

 private:
  std::vector<std::unique_ptr<cli::ParsedCommand>> parsed_;
  std::map<std::string, std::vector<CLI::Option*>> options_;
};

// The texts that advise something: literals of the sources, whole documents.
std::map<std::string, std::vector<std::string>> advising_texts() {
  const fs::path root = TRAINCTL_SOURCE_DIR;
  std::map<std::string, std::vector<std::string>> texts;
  for (const char* layer : {"src", "cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / layer)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".h") continue;
      texts[fs::relative(entry.path(), root).string()] = literals(text_of(entry.path()));
    }
  }
  return texts;
}

TEST_CASE("a message or a hint advises commands and flags that trainctl has, with their values") {
  const Flags flags;
  for (const auto& [file, texts] : advising_texts()) {
    CAPTURE(file);
    const auto others = k_of_other_programs.find(file);
    for (const std::string& text : texts) {
      CAPTURE(text);
      for (const Advised& advised : advised_flags(text)) {
        if (others != k_of_other_programs.end() && others->second.contains(advised.flag)) continue;
        CAPTURE(advised.flag);
        CAPTURE(advised.value);
        CHECK(flags.has(advised.flag));
        if (flags.has(advised.flag)) CHECK(flags.takes(advised));
      }
      for (const std::string& command : advised_commands(text)) {
        CAPTURE(command);
        CHECK((k_verbs.contains(command) || all_commands().find(command) != nullptr));
      }
    }
  }
}

}  // namespace advice_test
}  // namespace trainctl::testing
