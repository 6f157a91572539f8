// The hidden `trainctl __man` (a roff page) and `trainctl __markdown` (tables that docs/ must
// match), both read off the tables of commands, flags and exit codes.
#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/options/formatter.h"
#include "cli/options/globals.h"
#include "cli/options/parse.h"
#include "cli/output/exit_notes.h"
#include "manifest/flags/flags.h"

namespace trainctl::cli {
namespace {

// Escapes text so that roff finds no request and no escape in it.
std::string roff(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
  }
  if (safe.starts_with('.') || safe.starts_with('\'')) safe.insert(0, "\\&");
  return safe;
}

std::string spelled(const FlagDoc& flag) {
  std::string text = flag.letter.empty() ? "" : flag.letter + ", ";
  text += join(flag.names, ", ");
  if (!flag.value.empty()) text += (flag.value.starts_with("[=") ? "" : " ") + flag.value;
  return text;
}

// True for flags that every command has, which are listed once.
bool shared(const FlagDoc& flag) {
  return is_global_group(flag.group);
}

std::string man_flags(const std::vector<FlagDoc>& flags, bool of_all_commands) {
  std::string text;
  for (const FlagDoc& flag : flags) {
    if (shared(flag) != of_all_commands) continue;
    text += cat(".TP\n.B ", roff(spelled(flag)), "\n", roff(flag.help), "\n");
  }
  return text;
}

std::string man_command(const Command& command) {
  const options::Typed typed;
  const ParsedCommand parsed(command, typed);
  std::string text = cat(".SS ", roff(command.name), "\n", roff(command.summary), ".\n.PP\n.B ",
                         roff(usage_line(command, parsed.app())), "\n");
  text += man_flags(flag_docs(parsed.app()), false);
  if (command.examples.empty()) return text;
  text += ".PP\nExamples:\n.PP\n.nf\n";
  for (const auto& line : split(command.examples, '\n')) text += roff(line) + '\n';
  return text + ".fi\n";
}

std::string man_page(const CommandTable& commands) {
  std::string text = cat(".TH TRAINCTL 1 \"\" \"trainctl ", TRAINCTL_VERSION, "\"\n", R"(.SH NAME
trainctl \- submit distributed training jobs to Kubernetes and follow them to a verdict
.SH SYNOPSIS
.B trainctl
.I command
[flags] [\-\- \fIword\fR...]
.SH DESCRIPTION
Renders a Kubeflow training job from a template and flags, creates it through the Kubernetes API,
follows the logs of its replicas and exits with the job's own verdict. Data goes to standard output,
everything else to standard error.
.PP
A job is written NAME, or pytorch/NAME where the name alone is ambiguous; a replica JOB/worker\-1,
JOB/rank:3, or the full name of its pod. A flag of a replica given as \-\-ROLE\-FLAG, such as
\-\-worker\-memory, is for that role alone.
.SH COMMANDS
)");
  for (const Command& command : commands.all()) {
    if (!command.group.empty()) text += man_command(command);
  }
  const options::Typed typed;
  text += ".SH FLAGS OF ALL COMMANDS\n" +
          man_flags(flag_docs(ParsedCommand(*commands.find("get"), typed).app()), true);
  text += R"(.SH CONFIGURATION
A flag that you do not type gets its value from the first of these that sets it: the variable
TRAINCTL_FLAG (or TRAINCTL_COMMAND_FLAG), .trainctl.yaml of the working tree, config.yaml of the
user, config.yaml of the site. Keys are the long names of flags; keys below a command's name are for
that command only.
.B trainctl config view \-\-origin
shows the outcome.
.SH FILES
.TP
.I $XDG_CONFIG_HOME/trainctl/config.yaml, /etc/trainctl/config.yaml
defaults of flags, and presets
.TP
.I $XDG_CONFIG_HOME/trainctl/templates, /etc/trainctl/templates
manifests that submit\-KIND starts from
.SH REPORTS
.B trainctl help reports
lists the fields of JSON reports and log lines,
.B trainctl help schema
.I NAME
prints them as a JSON Schema.
.SH EXIT STATUS
)";
  for (const ExitStatus& status : exit_statuses()) {
    text += cat(".TP\n.B ", static_cast<int>(status.code), "\n", roff(status.meaning), "\n");
  }
  text += cat(".PP\n", roff(k_exit_notes), "\n");
  return text;
}

// Escapes a table cell, which a bar would end.
std::string cell(std::string_view text) {
  return join(split(text, '|'), "\\|");
}

// Flags of `runai submit-pytorch` and submit-tf that are refused, with what to write instead.
std::string markdown_refused() {
  std::string text = "\n| flag only for Run:ai | instead |\n|---|---|\n";
  for (const job::Flag& flag : job::flags()) {
    if (flag.instead.empty()) continue;
    text += cat("| `--", flag.name, "` | ", cell(flag.instead), " |\n");
  }
  return text;
}

std::string markdown(const CommandTable& commands) {
  std::string text = "| command | does |\n|---|---|\n";
  for (const Command& command : commands.all()) {
    if (!command.group.empty()) text += cat("| `", command.name, "` | ", command.summary, " |\n");
  }
  text += "\n| exit status | meaning |\n|---|---|\n";
  for (const ExitStatus& status : exit_statuses()) {
    text += cat("| ", static_cast<int>(status.code), " | ", cell(status.meaning), " |\n");
  }
  text += "\n| flag of `submit-pytorch` | does |\n|---|---|\n";
  const options::Typed typed;
  for (const FlagDoc& flag :
       flag_docs(ParsedCommand(*commands.find("submit-pytorch"), typed).app())) {
    if (shared(flag)) continue;
    text += cat("| `", cell(spelled(flag)), "` | ", cell(flag.help), " |\n");
  }
  return text + markdown_refused();
}

}  // namespace

Runner define_man(const Definition&) {
  return [](Context& context) { return context.console.out(man_page(context.commands)); };
}

Runner define_markdown(const Definition&) {
  return [](Context& context) { return context.console.out(markdown(context.commands)); };
}

}  // namespace trainctl::cli
