// Creates the parts of the embedded cluster in order, and ends them in reverse order.
#include "local/daemon/daemon.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <vector>

#include <malloc.h>

#include "base/file/files.h"
#include "base/text/text.h"
#include "local/api/api.h"
#include "local/api/garbage.h"
#include "local/daemon/control.h"
#include "local/daemon/http_server.h"
#include "local/daemon/kept_socket.h"
#include "local/kubelet/kubelet.h"
#include "local/operator/operator.h"

namespace trainctl::local {
namespace {

constexpr std::string_view k_kept_variables[] = {
    "PATH", "HOME",   "USER",        "LOGNAME",    "SHELL",        "LANG",
    "TZ",   "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH", "CONDA_PREFIX", "LD_LIBRARY_PATH",
};

bool is_kept(std::string_view name) {
  return name.starts_with("LC_") ||
         std::ranges::find(k_kept_variables, name) != std::end(k_kept_variables);
}

bool is_gpu_device(std::string_view name) {
  constexpr std::string_view k_device_prefix = "nvidia";
  if (!name.starts_with(k_device_prefix) || name.size() == k_device_prefix.size()) return false;
  return name.find_first_not_of("0123456789", k_device_prefix.size()) == std::string_view::npos;
}

}  // namespace

Environment base_environment(const Environment& daemon) {
  std::map<std::string, std::string, std::less<>> kept;
  for (const auto& [name, value] : daemon.all()) {
    if (is_kept(name)) kept.emplace(name, value);
  }
  return Environment(std::move(kept));
}

namespace {

// The number of NVIDIA devices of this machine.
int gpus_present() {
  std::error_code trouble;
  int count = 0;
  std::filesystem::directory_iterator entry("/dev", trouble);
  for (; !trouble && entry != std::filesystem::directory_iterator{}; entry.increment(trouble)) {
    if (is_gpu_device(entry->path().filename().string())) ++count;
  }
  return count;
}

constexpr Duration k_longest_tick = std::chrono::seconds(5);
constexpr Duration k_rest_after = std::chrono::seconds(30);
constexpr Duration k_leave_tick = std::chrono::milliseconds(5);

// The command with which a guard starts a new daemon when this one is gone.
std::vector<std::string> serve_command(const ServeOptions& options) {
  std::vector<std::string> words = {
      "local", "serve",
      cat("--idle=", std::chrono::ceil<std::chrono::seconds>(options.idle).count())};
  if (options.gpus >= 0) words.push_back(cat("--local-gpus=", options.gpus));
  if (options.log_limit >= 0) words.push_back(cat("--local-log-limit=", options.log_limit));
  return words;
}

class Daemon {
 public:
  Daemon(UvLoop& loop, DaemonPaths places, Descriptor lock, const ServeOptions& options)
      : loop_(loop),
        places_(std::move(places)),
        lock_(std::move(lock)),
        options_(options),
        idle_(options.idle),
        began_(loop.now()),
        last_use_(began_),
        socket_(loop, places_, [this](const ApiRequest& request) { return answer(request); }) {}

  Status start(const Environment& environment, const std::string& program) {
    TRY_ASSIGN(store_, Store::open(loop_, places_.database()));
    seed(*store_);
    gpus_ = options_.gpus >= 0 ? options_.gpus : gpus_present();
    KubeletSettings settings;
    settings.directory = places_.state;
    settings.lock_file = places_.lock();
    settings.program = program;
    settings.arguments = serve_command(options_);
    settings.daemon_environment = environment;
    settings.environment = base_environment(environment);
    settings.gpus = gpus_;
    if (options_.log_limit >= 0) {
      settings.job_log_limit = std::int64_t{options_.log_limit} << 20U;
    }
    kubelet_ = std::make_unique<Kubelet>(loop_, *store_, std::move(settings));
    api_ = std::make_unique<Api>(loop_, *store_, *kubelet_, *kubelet_);
    garbage_ = std::make_unique<GarbageCollector>(loop_, *store_);
    operator_ = std::make_unique<Operator>(loop_, *store_);
    control_.facts = [this] { return facts(); };
    control_.set_idle = [this](Duration idle) { idle_ = idle; };
    control_.ended_pods = [this](std::string_view uid) {
      return Json(kubelet_->ended_pods_of(uid));
    };
    control_.ports = [this](std::string_view uid) { return Json(kubelet_->ports_of(uid)); };
    control_.metrics = [this](std::string_view ns) { return Json(kubelet_->metrics(ns)); };
    TRY(socket_.open());
    write_holder(lock_, {::getpid(), places_.socket, process_mark(::getpid())});
    return {};
  }

  // Runs until the daemon is idle or receives a signal to end.
  void run() {
    const auto stop = [this] { this->stop(); };
    const HandlePtr terminate = loop_.on_signal(SIGTERM, stop);
    const HandlePtr interrupt = loop_.on_signal(SIGINT, stop);
    const HandlePtr hang_up = loop_.on_signal(SIGHUP, [] {});
    tick();
    loop_.run_until([this] { return ended_; });
    // A clean end removes the pid, so that clients of this daemon do not start another.
    write_holder(lock_, Holder{});
  }

 private:
  ApiAnswer answer(const ApiRequest& request) {
    last_use_ = loop_.now();
    if (auto answered = control_.answer(request)) return *std::move(answered);
    return api_->answer(request);
  }

  bool is_used() const { return socket_.is_used() || kubelet_->running() > 0; }

  void keep_socket() {
    if (const std::string words = socket_.keep(); !words.empty()) options_.log(words);
  }

  void tick() {
    const Time now = loop_.now();
    if (!stopping_) keep_socket();
    if (is_used()) last_use_ = now;
    if (now - last_use_ >= k_rest_after && !stopping_) rest();
    const bool over = idle_ > Duration::zero() && now - last_use_ >= idle_;
    if (over && !stopping_) {
      options_.log(cat("idle for ", format_age(idle_), ": ends"));
      return leave();
    }
    const Duration until = idle_ > Duration::zero() ? idle_ / 4 : k_longest_tick;
    timer_ = loop_.after(std::clamp<Duration>(until, std::chrono::milliseconds(10), k_longest_tick),
                         [this] { tick(); });
  }

  // Frees memory; the next client is served as before, only a moment later.
  void rest() {
    if (std::exchange(rested_at_, store_->version()) != store_->version()) {
      kubelet_->rest();
      operator_->rest();
    }
    if (store_->rest()) ::malloc_trim(0);
  }

  // Removes the socket, so that no new client comes; clients already connected are still served.
  void leave() {
    forget_socket();
    ended_ = !is_used();
    if (!ended_) timer_ = loop_.after(k_leave_tick, [this] { leave(); });
  }

  void stop() {
    options_.log(stopping_ ? "asked again to stop: killing the containers" : "asked to stop");
    const bool again = std::exchange(stopping_, true);
    forget_socket();
    // Stops the operator first, so that it does not recreate pods that end now; the next daemon
    // continues with the jobs.
    operator_.reset();
    const auto limit = again ? std::optional(Duration::zero()) : std::nullopt;
    kubelet_->stop_all(limit, [this] { ended_ = true; });
  }

  void forget_socket() { ::unlink(places_.socket.c_str()); }

  Json facts() const {
    Json facts = {{"pid", ::getpid()},
                  {"version", TRAINCTL_VERSION},
                  {"since", format_time(began_)},
                  {"socket", places_.socket},
                  {"directory", places_.state},
                  {"gpus", gpus_},
                  {"idleSeconds", std::chrono::duration_cast<std::chrono::seconds>(idle_).count()},
                  {"containers", kubelet_->running()},
                  {"memoryBytes", resident_memory()}};
    facts.update(count_jobs(*store_));
    return facts;
  }

  UvLoop& loop_;
  DaemonPaths places_;
  Descriptor lock_;
  const ServeOptions& options_;
  Duration idle_;
  Time began_;
  Time last_use_;
  int gpus_ = 0;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Kubelet> kubelet_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<GarbageCollector> garbage_;
  std::unique_ptr<Operator> operator_;
  Control control_;
  KeptSocket socket_;
  HandlePtr timer_;
  std::int64_t rested_at_ = 0;  // version of the store at that time
  bool stopping_ = false;
  bool ended_ = false;
};

void report(Descriptor& fd, const std::string& text) {
  if (!fd) return;
  [[maybe_unused]] const ssize_t written = ::write(fd.get(), text.data(), text.size());
  fd.reset();
}

Status serve_until_the_end(UvLoop& loop, const Environment& environment,
                           const ServeOptions& options, const std::string& program,
                           Descriptor& ready) {
  TRY_ASSIGN(const DaemonPaths where, places(environment));
  TRY(make_private(where));
  TRY_ASSIGN(Descriptor lock, take_lock(loop, where));
  if (!lock) {
    report(ready, std::string(k_ready));
    return {};
  }
  Daemon daemon(loop, where, std::move(lock), options);
  TRY(daemon.start(environment, program));
  options.log(cat("serves on ", where.socket, ", process ", ::getpid()));
  report(ready, std::string(k_ready));
  daemon.run();
  options.log("has ended");
  return {};
}

}  // namespace

Status serve(UvLoop& loop, const Environment& environment, const ServeOptions& options,
             const std::string& program) {
  Descriptor ready(options.ready_fd);
  Status status = serve_until_the_end(loop, environment, options, program, ready);
  if (!status) report(ready, status.error().message);
  return status;
}

}  // namespace trainctl::local
