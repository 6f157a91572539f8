#include "cli/mcp/line_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text/text.h"
#include "cli/command.h"
#include "options/table/command_line.h"

namespace trainctl::cli::mcp {
namespace {

constexpr std::size_t k_most_output = std::size_t{16} << 20;

// A console without terminal and stdin.
class CatchingConsole : public Console {
 public:
  explicit CatchingConsole(LineRun& caught) : caught_(caught) { out_is_file = true; }

  int out_descriptor() const override { return -1; }
  std::optional<std::string> read_line() override { return std::nullopt; }
  Result<std::string> read_all(std::size_t) override { return std::string(); }

 protected:
  Status write_out(std::string_view bytes) override {
    if (caught_.out.size() + bytes.size() > k_most_output)
      return Error{Code::error, "the output is above 16 MiB", "ask for less of it"};
    caught_.out += bytes;
    return {};
  }
  bool out_is_ready() override { return true; }
  Result<std::size_t> offer_out(std::string_view bytes) override {
    TRY(write_out(bytes));
    return bytes.size();
  }
  void write_err(std::string_view bytes) override {
    if (caught_.err.size() + bytes.size() <= k_most_output) caught_.err += bytes;
  }

 private:
  LineRun& caught_;
};

// The server's history, lent to a line.
class LentRuns : public work::PastRuns {
 public:
  explicit LentRuns(work::PastRuns& runs) : runs_(runs) {}

  Status keep(const work::PastRun& run, Time now) override { return runs_.keep(run, now); }
  Result<std::vector<work::PastRun>> list(const work::RunQuery& query) override {
    return runs_.list(query);
  }
  Result<bool> has_submitted(const std::string& uid) override { return runs_.has_submitted(uid); }
  Result<work::PastRun> find(std::int64_t number) override { return runs_.find(number); }

 private:
  work::PastRuns& runs_;
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

Result<FixedPlace> fixed_place(Context& context, const std::string& command,
                               const std::string& own_flag) {
  FixedPlace place;
  TRY_ASSIGN(const std::size_t at, options::command_position(context.typed));
  for (std::size_t word = 0; word < context.typed.size(); ++word) {
    const std::string& typed = context.typed[word];
    const bool is_own = (word == at && typed == command) ||
                        split_once(typed, '=').first == own_flag || typed == "--";
    if (!is_own) place.flags.push_back(typed);
  }
  place.ns = context.ns();
  place.cluster = context.cluster_name();
  // What a file said when the server began holds, even if the file changes.
  if (!names_namespace(place.flags)) place.flags.push_back(cat("--namespace=", place.ns));
  if (context.embedded) {
    if (!has_word(place.flags, "--local")) place.flags.emplace_back("--local");
  } else {
    TRY_ASSIGN(const kube::Connection connection, context.connection());
    if (!connection.context.empty()) place.flags.push_back(cat("--context=", connection.context));
  }
  place.flags.insert(place.flags.end(), {"--ci=none", "--no-color"});
  return place;
}

LineRun run_line(Context& context, const FixedPlace& place, const std::vector<std::string>& line) {
  LineRun caught;
  CatchingConsole console(caught);
  Context own(context.commands, console, context.files, context.loop, context.environment,
              context.make_transport);
  own.unique_id = context.unique_id;
  own.login = context.login;
  own.directory = context.directory;
  own.program = context.program;
  own.literal = true;
  own.serve_local = context.serve_local;
  if (context.history) own.history = std::make_unique<LentRuns>(*context.history);
  std::vector<std::string> words = place.flags;
  words.insert(words.end(), line.begin(), line.end());
  caught.status = context.run_line(words, own);
  return caught;
}

}  // namespace trainctl::cli::mcp
