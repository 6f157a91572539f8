#include "cli/mcp/tool_calls.h"

#include <algorithm>
#include <utility>

#include "base/file/sha256.h"
#include "base/text/text.h"
#include "cli/mcp/answer.h"

namespace trainctl::cli::mcp {
namespace {

using std::chrono::seconds;

constexpr std::size_t k_most_waits = 32;
constexpr Duration k_turn = seconds(10);  // of all calls that wait
constexpr Duration k_shortest_turn = seconds(2);
constexpr seconds k_last_look(1);
// So long an answer waits at most for a look at a job, which would else never come to an end
// beside a client that asks all the time.
constexpr Duration k_undisturbed = std::chrono::milliseconds(200);
constexpr std::size_t k_shown_digest = 12;
constexpr std::size_t k_longest_shown_line = 8 << 10;

// The mark of a job that was shown: a namesake that took its place has another uid.
std::string identity_of(const Json& report) {
  std::string identity;
  for (const Json& item : array_at(report, "/items")) identity += identity_of(item);
  return cat(identity, text_at(report, "/object/metadata/uid"), "\n");
}

std::string typed_line(const ToolLine& line) {
  std::string typed = "trainctl";
  for (const std::string& word : line) typed += cat(" ", printable_line(shell_quoted(word)));
  return typed;
}

}  // namespace

// The effect of a change.
struct ToolCalls::Preview {
  LineRun shown;  // failed: there is nothing to confirm
  Json facts;     // for the user
  std::string message;
  std::string bound;  // everything that must be the same when it is confirmed
};

ToolCalls::ToolCalls(Context& context, McpTarget target, bool changes, ClientLink link)
    : context_(context),
      target_(std::move(target)),
      changes_(changes),
      link_(std::move(link)),
      confirmations_(cat(context.unique_id(), context.unique_id())) {}

ToolOutcome ToolCalls::operator()(const ToolCall& call) {
  const Tool* tool = find_tool(call.tool, changes_);
  if (tool == nullptr) return UnknownTool{};
  if (const Status checked = check_arguments(*tool, call.arguments); !checked)
    return refusal(checked.error().message);
  ToolOutcome outcome = tool->effect == ToolEffect::reads ? look(*tool, call) : change(*tool, call);
  return link_.has_cancelled(call.id) ? NoAnswer{} : std::move(outcome);
}

ToolOutcome ToolCalls::look(const Tool& tool, const ToolCall& call) {
  const ToolLine line = tool.line(call.arguments);
  if (tool.name == "wait_job") return begin_wait(line, call);
  if (tool.name != "read_logs") return answer_of(run(line));
  const long tail = number_argument(call.arguments, "tail", k_default_lines);
  return log_answer(run(line), static_cast<std::size_t>(tail), text_at(call.arguments, "/cursor"));
}

ToolOutcome ToolCalls::begin_wait(const ToolLine& line, const ToolCall& call) {
  if (waits_.size() == k_most_waits)
    return refusal(cat(k_most_waits, " calls wait already: cancel one of them"));
  const seconds limit(number_argument(call.arguments, "timeout", k_default_wait));
  waits_.push_front({call, line, context_.loop.now(), limit});
  return NoAnswer{};
}

void ToolCalls::wait_on() {
  const Time begin = context_.loop.now();
  Duration turn = std::max(k_shortest_turn, k_turn / static_cast<int>(waits_.size()));
  for (const Wait& one : waits_) turn = std::min(turn, one.began + one.limit - begin);
  const Wait wait = std::move(waits_.front());
  waits_.pop_front();
  const bool is_last = begin + k_last_look >= wait.began + wait.limit;
  const seconds longest = std::max(std::chrono::ceil<seconds>(turn), k_last_look);
  bool may_pause = false;
  const HandlePtr undisturbed = context_.loop.after(k_undisturbed, [&] { may_pause = true; });
  const WaitPart part{wait.began, [&] { return may_pause && !is_last && link_.has_spoken(); }};
  const ToolLine line = with_flags(wait.line, {cat("--timeout=", longest.count(), "s")});
  const LineRun run = run_line(context_, target_, line, &part);
  const bool has_paused = run.status == static_cast<int>(Code::terminated);
  const bool is_open = run.status == static_cast<int>(Code::timeout);
  const Duration waited = context_.loop.now() - wait.began;
  if (link_.has_cancelled(wait.call.id)) return;
  if (!has_paused && !(is_open && waited < wait.limit))
    return link_.send(late_answer(wait.call, answer_of(run)));
  waits_.push_back(wait);
  if (has_paused || wait.call.progress_token.is_null()) return;
  link_.send(progress_line(wait.call.progress_token, std::chrono::floor<seconds>(waited).count(),
                           std::chrono::floor<seconds>(wait.limit).count(),
                           "the job has no verdict yet"));
}

void ToolCalls::end_waits() {
  const Time now = context_.loop.now();
  for (Wait& wait : waits_) wait.limit = now - wait.began;
  while (!waits_.empty()) wait_on();
}

void ToolCalls::cancel(const Json& id) {
  std::erase_if(waits_, [&id](const Wait& wait) { return wait.call.id == id; });
}

ToolCalls::Preview ToolCalls::preview(const Tool& tool, const ToolLine& line,
                                      const Json& arguments) {
  Preview preview;
  const bool submits = tool.effect == ToolEffect::submits;
  preview.shown = submits ? run(with_flags(line, {"--dry-run=client", "--output=json"}))
                          : run({"get", text_at(arguments, "/job"), "--output=json"});
  if (preview.shown.status != 0) return preview;
  const auto parsed = parse_json(preview.shown.out, "the preview");
  const Json shown = parsed ? *parsed : Json::object();
  const std::string digest = sha256_hex(submits ? preview.shown.out : identity_of(shown));
  preview.facts = {{"line", typed_line(line)},
                   {"namespace", target_.ns},
                   {"context", target_.cluster},
                   {"digest", cat("sha256:", digest)}};
  preview.message = cat("Run `", typed_line(line), "` in namespace ", target_.ns, " of ",
                        target_.cluster, "? (sha256:", digest.substr(0, k_shown_digest), ")");
  Json footprint = Json::array();
  for (const std::string& said : written_lines(preview.shown.err)) {
    footprint.push_back(printable_line(said));
    preview.message += cat("\n", printable_line(said));
  }
  if (submits) preview.facts["footprint"] = std::move(footprint);
  if (!submits) preview.facts["phase"] = text_at(shown, "/phase");
  preview.bound = dump(Json::array({tool.name, line, digest, target_.cluster, target_.ns}));
  return preview;
}

ToolOutcome ToolCalls::change(const Tool& tool, const ToolCall& call) {
  const bool asks = call.era == Era::stateless;
  if (asks && !call.can_ask) return CannotAsk{};
  const ToolLine line = tool.line(call.arguments);
  // Nobody reads to the end of more, so nobody could agree to it.
  if (typed_line(line).size() > k_longest_shown_line)
    return refusal("the line is above 8 KiB, too long to be shown to the user");
  const Preview preview = this->preview(tool, line, call.arguments);
  if (preview.shown.status != 0) return answer_of(preview.shown);
  const std::string bound = cat(asks ? "asked\n" : "shown\n", preview.bound);
  const Time now = context_.loop.now();
  const std::string given = asks ? call.state : text_at(call.arguments, "/confirm");
  if (given.empty()) {
    std::string value = confirmations_.issue(bound, now);
    if (asks) return Question{preview.message, std::move(value)};
    Json facts = preview.facts;
    facts["confirm"] = std::move(value);
    facts["next"] =
        "nothing has changed yet: show this to the user, and call again with `confirm` once the "
        "user has agreed";
    return answer_with(0, std::move(facts));
  }
  if (const Status redeemed = confirmations_.redeem(given, bound, now); !redeemed)
    return refusal(cat(redeemed.error().message, "; ", redeemed.error().hint));
  if (asks && !call.agreed) return answer_with(0, "nothing has changed: the user did not agree");
  const bool submits = tool.effect == ToolEffect::submits;
  return answer_of(run(submits ? with_flags(line, {"--output=json"}) : line));
}

}  // namespace trainctl::cli::mcp
