// Shows how busy the GPUs of a followed job are, asked of nvidia-smi in the pod of its leader.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop/loop.h"
#include "base/value/json.h"
#include "kube/client/client.h"
#include "kube/stream/remote_process.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// "GPU 91 %, 34 of 80 GiB" from nvidia-smi's lines "91, 34816, 81920" (percent, MiB used, MiB in
// all); of several GPUs their number and means. "" for anything else.
std::string gpu_words(std::string_view csv);
// True when such words are of GPUs that were busy.
bool tells_of_busy_gpus(std::string_view words);

// Prints what gpu_words() reads.
std::vector<std::string> gpu_command();
// Any container of the job, wherever its kind keeps them, asks for a GPU.
bool has_gpus(const Json& job);

// Asks every 15 seconds. When nobody may run a program in the pod, or it has no nvidia-smi, it does
// not ask again.
class GpuWatch {
 public:
  // `pod` returns the running pod to ask, null while there is none. `on_answer` takes the
  // gpu_words(); "" = unknown.
  GpuWatch(kube::Client& client, const Kind& kind, std::function<const Json*()> pod,
           std::function<void(std::string words)> on_answer);

  // Does nothing for jobs that ask for no GPUs.
  void start(const Json& job);
  void stop();
  void ask_in(kube::Client& client) { client_ = &client; }

 private:
  void ask_after(Duration wait);
  void ask();
  void on_end(const Result<kube::RemoteEnd>& end);

  kube::Client* client_;
  const Kind& kind_;
  std::function<const Json*()> pod_;
  std::function<void(std::string words)> on_answer_;
  std::string output_;
  std::unique_ptr<kube::RemoteProcess> process_;
  HandlePtr timer_;
};

}  // namespace trainctl::job
