// One short process in the pod each time: nothing stays there between two questions.
#include "follow/gpu_watch.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text/text.h"
#include "manifest/manifest.h"
#include "status/pod_state.h"

namespace trainctl::job {
namespace {

constexpr Duration k_between_questions = std::chrono::seconds(15);
constexpr Duration k_until_it_runs = std::chrono::seconds(1);  // looks at what is known already
constexpr std::size_t k_longest_answer = 4096;

struct GpuSums {
  std::int64_t gpus = 0, percent = 0, used = 0, total = 0;  // used, total: MiB
};

// Wherever the kind of job keeps its containers.
bool asks_for_gpus(const Json& value) {
  if (!value.is_structured()) return false;
  if (value.is_object() && gpus_of({{"resources", value}}) > 0) return true;
  return std::ranges::any_of(value, asks_for_gpus);
}

}  // namespace

std::string gpu_words(std::string_view csv) {
  GpuSums sums;
  for (const std::string& line : written_lines(csv)) {
    std::vector<std::int64_t> numbers;
    for (const std::string& cell : split(line, ',')) {
      const auto number = parse_number<std::int64_t>(trim(cell));
      if (!number || *number < 0) return "";
      numbers.push_back(*number);
    }
    if (numbers.size() != 3) return "";
    ++sums.gpus;
    sums.percent += numbers[0];
    sums.used += numbers[1];
    sums.total += numbers[2];
  }
  if (sums.gpus == 0) return "";
  const auto gibibytes = [&sums](std::int64_t mebibytes) {
    constexpr std::int64_t k_mebibytes = 1024;
    return (mebibytes / sums.gpus + k_mebibytes / 2) / k_mebibytes;
  };
  return cat(sums.gpus == 1 ? "GPU" : cat(sums.gpus, " GPUs"), ' ', sums.percent / sums.gpus,
             " %, ", gibibytes(sums.used), " of ", gibibytes(sums.total), " GiB",
             sums.gpus == 1 ? "" : " each");
}

bool tells_of_busy_gpus(std::string_view words) {
  return !words.empty() && words.find(" 0 %,") == std::string_view::npos;
}

std::vector<std::string> gpu_command() {
  return {"nvidia-smi", "--query-gpu=utilization.gpu,memory.used,memory.total",
          "--format=csv,noheader,nounits"};
}

bool has_gpus(const Json& job) {
  return asks_for_gpus(object_at(job, "/spec"));
}

GpuWatch::GpuWatch(kube::Client& client, const Kind& kind, std::function<const Json*()> pod,
                   std::function<void(std::string words)> on_answer)
    : client_(&client), kind_(kind), pod_(std::move(pod)), on_answer_(std::move(on_answer)) {}

void GpuWatch::start(const Json& job) {
  if (has_gpus(job)) ask_after({});
}

void GpuWatch::stop() {
  timer_.reset();
  process_.reset();
}

void GpuWatch::ask_after(Duration wait) {
  timer_ = client_->loop().after(wait, [this] { ask(); });
}

void GpuWatch::ask() {
  const Json* const pod = pod_();
  if (pod == nullptr) return ask_after(k_until_it_runs);
  kube::RemoteQuery query{text_at(*pod, "/metadata/namespace"), text_at(*pod, "/metadata/name"),
                          main_container(kind_, *pod), gpu_command()};
  output_.clear();
  kube::RemoteHandlers handlers;
  handlers.on_output = [this](std::string_view bytes) {
    if (output_.size() + bytes.size() <= k_longest_answer) output_ += bytes;
  };
  handlers.on_end = [this](const Result<kube::RemoteEnd>& end) { on_end(end); };
  process_ = kube::start_process(*client_, query, std::move(handlers));
}

void GpuWatch::on_end(const Result<kube::RemoteEnd>& end) {
  std::string words = end ? gpu_words(output_) : "";
  if (!words.empty()) ask_after(k_between_questions);
  on_answer_(std::move(words));
}

}  // namespace trainctl::job
