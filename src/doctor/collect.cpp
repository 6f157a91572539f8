// Batch by batch: the next one begins when the slowest of the last has answered.
#include "doctor/collect.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/loop/wait_limit.h"
#include "base/text/text.h"
#include "work/session/session.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_questions_at_once = 8;

struct Asking {
  std::unique_ptr<kube::RemoteProcess> process;
  HandlePtr deadline;
  bool is_over = false;
};

void ask(Access& access, kube::Client& client, Question& question, Asking& asking) {
  kube::RemoteQuery query = question.target.query();
  query.command = question.command;
  const auto end_with = [&question, &asking](const Status& outcome) {
    if (std::exchange(asking.is_over, true) || outcome) return;
    question.error = outcome.error();
    if (question.error->message.empty()) question.error->message = "the command failed";
  };
  kube::RemoteHandlers handlers;
  handlers.on_output = [&question](std::string_view bytes) {
    question.answer += bytes.substr(0, question.most - question.answer.size());
  };
  handlers.on_end = [end_with, query](Result<kube::RemoteEnd> end) {
    end_with(end ? status_of(*end, query) : Status(std::move(end).error()));
  };
  asking.deadline = access.loop.after(question.longest, [end_with] {
    end_with(Error{Code::timeout, "no answer in time", ""});
  });
  asking.process = kube::start_process(client, query, std::move(handlers));
}

}  // namespace

Status collect(Access& access, std::span<Question> questions,
               const std::function<void(std::size_t, Question&)>& take) {
  TRY_ASSIGN(kube::Client * client, access.client());
  WaitLimit limit(access.loop, std::nullopt);
  for (std::size_t begin = 0; begin < questions.size(); begin += k_questions_at_once) {
    const std::size_t end = std::min(questions.size(), begin + k_questions_at_once);
    std::vector<Asking> askings(end - begin);
    for (std::size_t at = begin; at < end; ++at) {
      ask(access, *client, questions[at], askings[at - begin]);
    }
    TRY(limit.run_until([&] { return std::ranges::all_of(askings, &Asking::is_over); }));
    for (std::size_t at = begin; at < end; ++at) take(at, questions[at]);
  }
  return {};
}

}  // namespace trainctl::work
