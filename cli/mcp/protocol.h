// The Model Context Protocol as functions: a line of the client in, the line that answers it out.
// Speaks both eras of the protocol and knows none of trainctl's commands.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "base/value/json.h"

namespace trainctl::cli::mcp {

// Since 2026 each request says which version it speaks; before, `initialize` opened a session.
enum class Era { session, stateless };

struct ToolCall {
  std::string tool;
  Json arguments = Json::object();
  Json id;  // of the request, which the client may cancel
  Era era = Era::stateless;
  bool can_ask = false;  // the client can put a question to its user
  std::string state;     // of the question that this call answers; "" = none
  bool agreed = false;   // the user's answer to it
  Json progress_token;   // null = the client wants no progress
};

// An answer that the client shows to its model. `structured` says the same as `text`.
struct ToolResult {
  std::string text;
  Json structured;
  bool is_error = false;
};
// The user must agree before the call has an effect. The client repeats the call with `state`.
struct Question {
  std::string message;
  std::string state;
};
// The call needs an answer of the user, and the client cannot ask for one.
struct CannotAsk {};
struct UnknownTool {};
// No answer is due now: late_answer() brings it, or the client has cancelled the call.
struct NoAnswer {};
using ToolOutcome = std::variant<ToolResult, Question, CannotAsk, UnknownTool, NoAnswer>;

// The functions behind the protocol.
struct Served {
  std::string version;       // of this program
  std::string instructions;  // for the model
  Json tools = Json::array();
  std::function<ToolOutcome(const ToolCall&)> call;
};

// A conversation with one client.
class Conversation {
 public:
  explicit Conversation(Served served) : served_(std::move(served)) {}

  // Returns the line that answers this one, without its end; "" when no answer is due.
  std::string answer(std::string_view line);

 private:
  struct Request;
  Json answer_request(Request& request);
  Json discover() const;
  Json initialize(const Request& request);
  Json list(const Request& request) const;
  Json call(const Request& request);  // null = no answer

  Served served_;
  bool initialized_ = false;
};

// Returns the answer to a line that is too long to be read.
std::string too_long_answer();
// Returns the line that tells the client how far a call is; `progress` must grow.
std::string progress_line(const Json& token, long progress, long total, std::string_view message);
// The answer to a call that had NoAnswer before.
std::string late_answer(const ToolCall& call, ToolResult result);
// The request that the client no longer wants answered; null for a line that cancels none.
Json cancelled_request(std::string_view line);

}  // namespace trainctl::cli::mcp
