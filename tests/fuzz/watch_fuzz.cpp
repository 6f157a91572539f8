// The watch machine on a server that answers anything: whatever comes, in whatever pieces and with
// whatever end, each object is reported before it is reported gone, nothing comes after the stop,
// and requests do not come without end.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "kube/watch/watch.h"
#include "support/fake_cluster.h"

namespace {

using namespace trainctl;
using testing::Exchange;

// An answer as the corpus writes it: "L" for a list or "W" for a watch, how it ends ("c" cleanly,
// "r" reset, "n" never, "x" no connection), its status, and in the lines below its body.
Exchange answer_from(std::string_view text, std::size_t piece) {
  const auto nth = [&](std::size_t at) { return at < text.size() ? text[at] : '\0'; };
  Exchange answer;
  answer.path = "/api/v1/namespaces/team/pods";
  if (nth(0) == 'W') {
    answer.query = {{"watch", "true"}};
  } else {
    answer.query = {{"limit", "500"}};
  }
  answer.ending = nth(1) == 'r'   ? "reset"
                  : nth(1) == 'n' ? "never"
                  : nth(1) == 'x' ? "refused"
                                  : "";
  constexpr int k_statuses[] = {200, 400, 401, 403, 404, 410, 429, 500, 503, 504};
  answer.status = k_statuses[static_cast<unsigned char>(nth(2)) % std::size(k_statuses)];
  text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    answer.chunks.push_back({std::chrono::milliseconds(1), std::string(text.substr(0, piece))});
  }
  return answer;
}

std::vector<Exchange> answers_from(std::string_view text) {
  constexpr std::string_view k_between = "\n%%\n";
  const std::size_t piece = text.empty() ? 1 : 1 + static_cast<unsigned char>(text[0]) % 64;
  std::vector<Exchange> answers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(k_between), text.size());
    if (end > 0) answers.push_back(answer_from(text.substr(0, end), piece));
    text.remove_prefix(std::min(end + k_between.size(), text.size()));
  }
  return answers;
}

void demand(bool holds) {
  if (!holds) std::abort();
}

std::string identity(const Json& object) {
  return cat(text_at(object, "/metadata/namespace"), '/', text_at(object, "/metadata/name"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  testing::FakeCluster cluster(answers_from({reinterpret_cast<const char*>(data), size}));
  std::set<std::string> there;
  bool stopped = false;
  kube::WatchHandlers handlers;
  handlers.on_change = [&](const Json& object) {
    demand(!stopped && object.is_object());
    there.insert(identity(object));
  };
  handlers.on_gone = [&](const Json& object) {
    demand(!stopped && there.contains(identity(object)));
  };
  handlers.on_listed = [&] { demand(!stopped); };
  handlers.on_trouble = [&](const std::string&) { demand(!stopped); };
  handlers.on_stop = [&](const Error& error) {
    demand(!stopped && !error.message.empty());
    stopped = true;
  };
  const HandlePtr watch = start_watch(*cluster.client, {kube::k_pods, "team", {}}, handlers);
  bool over = false;
  const HandlePtr timer = cluster.loop.after(std::chrono::hours(1), [&] { over = true; });
  cluster.loop.run_until([&] { return over; });
  // Each scripted answer is asked for once; what is not scripted is a silent watch or a refusal.
  constexpr std::size_t k_silent_watches_of_an_hour = 20;
  demand(cluster.transport->seen.size() <= size + k_silent_watches_of_an_hour);
  return 0;
}
