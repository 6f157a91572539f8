#include "cli/mcp/line_run.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "cli/command.h"
#include "cli/output/catching_console.h"
#include "options/table/command_line.h"

namespace trainctl::cli::mcp {
namespace {

// The server's history, lent to a line.
class LentRuns : public work::PastRuns {
 public:
  LentRuns(work::PastRuns& runs, bool only_ended) : runs_(runs), only_ended_(only_ended) {}

  Status keep(const work::PastRun& run, Time now) override {
    return only_ended_ && !run.ended ? Status() : runs_.keep(run, now);
  }
  Result<std::vector<work::PastRun>> list(const work::RunQuery& query) override {
    return runs_.list(query);
  }
  Result<bool> has_submitted(const std::string& uid) override { return runs_.has_submitted(uid); }
  Result<work::PastRun> find(std::int64_t number) override { return runs_.find(number); }

 private:
  work::PastRuns& runs_;
  bool only_ended_;
};

// The server's loop, lent to a line that may have to pause.
class LentLoop : public Loop {
 public:
  LentLoop(Loop& loop, const WaitPart& part) : loop_(loop), part_(part) {}

  Time now() const override { return loop_.now(); }
  HandlePtr after(Duration delay, std::function<void()> callback) override {
    return loop_.after(delay, std::move(callback));
  }
  HandlePtr on_signal(int number, std::function<void()> callback) override {
    return loop_.on_signal(number, std::move(callback));
  }
  HandlePtr spawn(ChildSpec spec, std::function<void(Result<ChildExit>)> done) override {
    return loop_.spawn(std::move(spec), std::move(done));
  }
  HandlePtr on_writable(int fd, std::function<void()> callback) override {
    return loop_.on_writable(fd, std::move(callback));
  }
  HandlePtr on_readable(int fd, std::function<void()> callback) override {
    return loop_.on_readable(fd, std::move(callback));
  }
  HandlePtr on_reader_gone(int fd, std::function<void()> callback) override {
    return loop_.on_reader_gone(fd, std::move(callback));
  }
  void run_until(const std::function<bool()>& done) override {
    loop_.run_until([&] {
      if (!pauses_ && part_.must_pause()) {
        pauses_ = true;
        ending_signals().take(*ending_signal(Code::terminated));
      }
      return done();
    });
  }

 private:
  Loop& loop_;
  const WaitPart& part_;
  bool pauses_ = false;
};

bool has_word(const std::vector<std::string>& flags, std::string_view word) {
  return std::ranges::find(flags, word) != flags.end();
}

bool names_namespace(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    if (flag.starts_with("-p") || flag.starts_with("--project")) return true;
  }
  return false;
}

}  // namespace

Result<McpTarget> mcp_target(Context& context, const std::string& command,
                             const std::string& own_flag) {
  McpTarget target;
  TRY_ASSIGN(const std::size_t at, options::command_position(context.typed));
  for (std::size_t word = 0; word < context.typed.size(); ++word) {
    const std::string& typed = context.typed[word];
    const bool is_own = (word == at && typed == command) ||
                        split_once(typed, '=').first == own_flag || typed == "--";
    if (!is_own) target.flags.push_back(typed);
  }
  target.ns = context.ns();
  target.cluster = context.cluster_name();
  // The text of a file when the server began holds, even if the file changes.
  if (!names_namespace(target.flags)) target.flags.push_back(cat("--namespace=", target.ns));
  if (context.embedded) {
    if (!has_word(target.flags, "--local")) target.flags.emplace_back("--local");
  } else {
    TRY_ASSIGN(const kube::Connection connection, context.connection());
    if (!connection.context.empty()) target.flags.push_back(cat("--context=", connection.context));
  }
  target.flags.insert(target.flags.end(), {"--ci=none", "--no-color"});
  return target;
}

LineRun run_line(Context& context, const McpTarget& target, const std::vector<std::string>& line,
                 const WaitPart* part) {
  Caught caught;
  CatchingConsole console(caught);
  std::optional<LentLoop> lent;
  if (part != nullptr) lent.emplace(context.loop, *part);
  Context own(context.commands, console, context.files, lent ? *lent : context.loop,
              context.environment, context.make_transport);
  own.unique_id = context.unique_id;
  own.login = context.login;
  own.directory = context.directory;
  own.program = context.program;
  own.literal = LiteralLine{part ? std::optional(part->since) : std::nullopt};
  own.serve_local = context.serve_local;
  if (context.history) own.history = std::make_unique<LentRuns>(*context.history, part != nullptr);
  std::vector<std::string> words = target.flags;
  words.insert(words.end(), line.begin(), line.end());
  const int status = context.run_line(words, own);
  return {status, std::move(caught.out), std::move(caught.err)};
}

}  // namespace trainctl::cli::mcp
