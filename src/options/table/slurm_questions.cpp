// Each option of these commands has a row that says which meaning it has here.
#include "options/table/slurm_questions.h"

#include <algorithm>

#include "base/text/text.h"
#include "manifest/render.h"
#include "manifest/secrets.h"
#include "options/table/flag_synonyms.h"
#include "options/table/rows.h"
#include "slurm/values.h"

namespace trainctl::options {
namespace {

enum class Meaning {
  job,
  user,
  states,
  since,
  start,     // asks when jobs will start, and so why they do not run
  repeated,  // prints again and again
  signal,
  none,    // says how the answer looks, or what holds here anyway
  choice,  // chooses among jobs by what jobs do not have here
};

struct QuestionOption {
  std::string_view commands, names;
  Meaning meaning;
  bool takes_value = true;
};

constexpr bool k_bare = false;

constexpr QuestionOption k_options[] = {
    {"squeue sacct scancel sstat", "-j --jobs --jobid", Meaning::job},
    {"squeue scancel", "-n --name", Meaning::job},
    {"sacct", "--name", Meaning::job},
    {"squeue scancel", "-u --user --users", Meaning::user},
    // The history is one user's.
    {"sacct", "-u --user --uid", Meaning::none},
    {"squeue scancel", "-t --state --states", Meaning::states},
    {"sacct", "-s --state", Meaning::states},
    {"sacct", "-S --starttime", Meaning::since},
    {"squeue", "--start", Meaning::start, k_bare},
    {"squeue", "-i --iterate", Meaning::repeated},
    {"scancel", "-s --signal", Meaning::signal},

    {"squeue", "-l --long -a --all -h --noheader -r --array -v --verbose --me --hide",
     Meaning::none, k_bare},
    {"squeue", "-o --format -O --Format -S --sort", Meaning::none},
    {"sacct",
     "-a --allusers -X --allocations -n --noheader -P --parsable2 -p --parsable -l --long -b "
     "--brief -D --duplicates -v --verbose",
     Meaning::none, k_bare},
    {"sacct", "-o --format --units --delimiter", Meaning::none},
    {"sstat", "-a --allsteps -n --noheader -P --parsable2 -p --parsable -i --pidformat -v",
     Meaning::none, k_bare},
    {"sstat", "-o --format", Meaning::none},
    {"scancel",
     "-b --batch -f --full -H --hurry -i --interactive -Q --quiet -v --verbose --ctld --me",
     Meaning::none, k_bare},

    {"squeue scancel",
     "-A --account -p --partition -q --qos -w --nodelist -R --reservation -L --licenses -M "
     "--clusters --wckey",
     Meaning::choice},
    {"sacct",
     "-A --accounts -r --partition -q --qos -N --nodelist -M --clusters -E --endtime -W --wckeys "
     "-i --nnodes -I --ncpus -C --constraints",
     Meaning::choice},
};

struct State {
  std::string_view words;                // of Slurm
  std::string_view phase, verdict = {};  // "" = there is none
};

constexpr State k_states[] = {
    {"PD PENDING", "Queued,Pending"},
    {"CF CONFIGURING", "Starting"},
    {"R RUNNING CG COMPLETING", "Running"},
    {"S SUSPENDED ST STOPPED", "Suspended"},
    {"RQ REQUEUED", "Restarting"},
    {"CD COMPLETED", "Succeeded", "succeeded"},
    {"F FAILED TO TIMEOUT NF NODE_FAIL OOM OUT_OF_MEMORY BF BOOT_FAIL DL DEADLINE", "Failed",
     "failed"},
    {"CA CANCELLED", "", "removed"},
};

struct Question {
  std::vector<std::string> flags, jobs;
  std::vector<std::string> left_out;  // options
  std::string user, states, since, signal;
  bool asks_for_start = false, repeats = false;
};

// The phases or verdicts of "F,TO"; "" when one of them has none.
std::string words_for(const std::string& states, std::string_view State::*as) {
  std::vector<std::string> words;
  for (const std::string& state : split(upper(states), ',')) {
    const auto row = std::ranges::find_if(
        k_states, [&state](const State& each) { return lists(each.words, state); });
    if (row == std::end(k_states) || (row->*as).empty()) return "";
    std::string word(row->*as);
    if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
  }
  return join(words, ",");
}

// "2d" of "now-2days"; "" for a date, since runs are chosen by their age.
std::string age_of(const std::string& since) {
  constexpr std::string_view k_now = "now-";
  if (!since.starts_with(k_now)) return "";
  const std::string count = since.substr(k_now.size());
  const std::size_t end = std::min(count.find_first_not_of("0123456789"), count.size());
  const std::string unit = count.substr(end);
  if (end == 0) return "";
  if (unit.empty()) return cat(count, 's');
  constexpr std::string_view k_units[] = {"seconds", "minutes", "hours", "days", "weeks"};
  const bool is_unit = std::ranges::any_of(
      k_units, [&unit](std::string_view each) { return each.starts_with(lower(unit)); });
  return is_unit ? cat(count.substr(0, end), lower(unit).front()) : "";
}

const QuestionOption* find_question_option(const std::string& command, const std::string& name) {
  const auto found = std::ranges::find_if(k_options, [&](const QuestionOption& each) {
    return lists(each.commands, command) && lists(each.names, name);
  });
  return found == std::end(k_options) ? nullptr : found;
}

// False when the option has no counterpart.
bool take(Question& question, Meaning meaning, const std::string& value) {
  if (meaning == Meaning::start) question.asks_for_start = true;
  if (meaning == Meaning::repeated) question.repeats = true;
  if (meaning == Meaning::user) question.user = value;
  if (meaning == Meaning::signal) question.signal = value;
  if (meaning == Meaning::since) return !(question.since = age_of(value)).empty();
  if (meaning == Meaning::job) {
    for (std::string& job : slurm_jobs(value)) question.jobs.push_back(std::move(job));
  }
  if (meaning == Meaning::states && upper(value) != "ALL") question.states = value;
  return meaning != Meaning::choice;
}

Question read_question(const std::string& command, const std::vector<std::string>& args) {
  Question question;
  for (std::size_t at = 0; at < args.size(); ++at) {
    const ForeignFlag flag = foreign_flag(args[at]);
    const QuestionOption* option = find_question_option(command, flag.name);
    if (!args[at].starts_with('-')) {
      take(question, Meaning::job, args[at]);
      continue;
    }
    if (option == nullptr) {
      (args[at] == "--local" ? question.flags : question.left_out).push_back(flag.name);
      continue;
    }
    const bool has_next = option->takes_value && flag.value.empty() && at + 1 < args.size();
    const std::string value = has_next ? args[++at] : flag.value;
    if (option->takes_value && value.empty()) continue;
    if (!take(question, option->meaning, value)) question.left_out.push_back(flag.name);
  }
  return question;
}

std::string as_typed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + shell_quoted(word);
  return job::text_without_secrets(text);
}

std::string owner_of(const Question& question) {
  return question.user.empty()
             ? ""
             : cat(" -l ", shell_quoted(cat(job::k_label_owner, '=', question.user)));
}

// The flag that chooses by the states; leaves out those that it has no word for.
std::string state_flag(Question& question, std::string_view flag, std::string_view State::*as) {
  if (question.states.empty()) return "";
  const std::string words = words_for(question.states, as);
  if (words.empty()) question.left_out.push_back(cat("the states ", question.states));
  return words.empty() ? "" : cat(' ', flag, ' ', words);
}

std::string get_line(Question& question) {
  return cat("trainctl get", question.repeats ? " -w" : "", as_typed(question.flags),
             as_typed(question.jobs), owner_of(question),
             state_flag(question, "--status", &State::phase));
}

std::string history_line(Question& question) {
  // A job has one newest run, whenever that was and however it ended.
  if (!question.jobs.empty()) return "trainctl history" + as_typed({question.jobs.front()});
  return cat("trainctl history", question.since.empty() ? "" : cat(" --since ", question.since),
             state_flag(question, "--verdict", &State::verdict));
}

// A line that deletes must not leave out a choice among jobs that has no counterpart.
std::string cancel_line(Question& question) {
  if (!question.states.empty() || !question.left_out.empty()) {
    return get_line(question) + " lists them; trainctl delete JOB deletes one";
  }
  const bool names_none = question.jobs.empty() && question.user.empty();
  return cat("trainctl delete", as_typed(question.flags), as_typed(question.jobs),
             owner_of(question), names_none ? " JOB" : "");
}

std::string line_of(const std::string& command, Question& question) {
  if (command == "sacct") return history_line(question);
  if (command == "sstat")
    return cat("trainctl top", as_typed(question.flags), as_typed(question.jobs));
  if (command == "scancel") return cancel_line(question);
  if (!question.asks_for_start) return get_line(question);
  return cat("trainctl why", as_typed(question.flags), as_typed(question.jobs), owner_of(question));
}

Error no_signals(const Question& question) {
  const std::string job = question.jobs.empty() ? "JOB" : question.jobs.front();
  return {Code::usage, "there is no command `scancel`, and none that sends signals to jobs",
          cat("name the process: trainctl exec", as_typed(question.flags), ' ', shell_quoted(job),
              " -- sh -c ", shell_quoted(cat("kill -", question.signal, " PID")))};
}

}  // namespace

std::optional<Error> meant_question(const std::string& name, const std::vector<std::string>& args) {
  if (!lists("squeue sacct sstat scancel", name)) return std::nullopt;
  Question question = read_question(name, args);
  if (!question.signal.empty()) return no_signals(question);
  std::string line = line_of(name, question);
  return Error{Code::usage,
               cat("there is no command `", name, "`",
                   question.left_out.empty()
                       ? ""
                       : cat("; the line below leaves out ", join(question.left_out, ", "))),
               std::move(line)};
}

std::vector<std::string> slurm_jobs(const std::string& word) {
  std::vector<std::string> jobs = slurm::host_names(word);
  if (jobs.empty()) jobs = {word};
  for (std::string& job : jobs) std::ranges::replace(job, '_', '-');
  return jobs;
}

}  // namespace trainctl::options
