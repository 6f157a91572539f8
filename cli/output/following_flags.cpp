// Tries each output before anything is sent, and looks for flags that need a named job.
#include "cli/output/following_flags.h"

#include <algorithm>

#include "base/text/text.h"
#include "work/notify/notify.h"

namespace trainctl::cli {
namespace {

// In the log of a CI system a report would be read as the program's own words are: commands.
bool is_in_ci_log(const Console& console, const std::string& path) {
  const auto is_one_of = [&path](std::initializer_list<std::string_view> paths) {
    return std::ranges::find(paths, path) != paths.end();
  };
  if (is_one_of({"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})) {
    return console.out_reader() != CiSystem::none;
  }
  const bool is_stderr = is_one_of({"/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"});
  return is_stderr && console.ci != CiSystem::none;
}

Status try_place(Context& context, std::string_view flag, const std::string& path) {
  if (path.empty()) return {};
  if (is_in_ci_log(context.console, path)) {
    return Error{
        Code::usage,
        cat(flag, ": ", path,
            " is the CI system's log, and the CI system could take parts of a report for commands"),
        "write to a file, and print the file in a later step"};
  }
  const Status tried = context.files.check_writable(path);
  if (tried) return {};
  return Error{Code::usage, cat(flag, ": ", tried.error().message),
               "choose a path that you can write to"};
}

}  // namespace

Status check_following(Context& context, const options::WaitFlags& flags,
                       const std::string& save_logs) {
  if (!flags.result_file.empty() && flags.result_file == flags.junit) {
    return Error{Code::usage, "--result-file and --junit both write to " + flags.junit,
                 "give them different files"};
  }
  if (!save_logs.empty() && !context.files.list(save_logs).empty()) {
    return Error{Code::usage, cat("--save-logs: ", save_logs, " already holds files"),
                 "name a new directory, or empty this one"};
  }
  if (!flags.notify.empty()) TRY(work::check_notify(context, flags.notify));
  TRY(try_place(context, "--result-file", flags.result_file));
  TRY(try_place(context, "--junit", flags.junit));
  return try_place(context, "--save-logs",
                   save_logs.empty() ? "" : resolve_path(save_logs, "master-0.log"));
}

Status check_unnamed(const options::WaitFlags& flags) {
  const bool gives_up = flags.on_give_up == options::OnGiveUp::remove;
  if (!gives_up && flags.on_interrupt != options::OnInterrupt::cancel) return {};
  return Error{Code::usage,
               cat(gives_up ? "--on-give-up=delete" : "--on-interrupt=cancel",
                   " deletes only a job that you name"),
               "name the job: trainctl get lists them"};
}

}  // namespace trainctl::cli
