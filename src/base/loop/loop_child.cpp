// Runs child processes on the production event loop.
#include "base/loop/loop_child.h"

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <utility>
#include <vector>

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "base/file/files.h"
#include "base/loop/loop_watcher.h"
#include "base/text/text.h"

namespace trainctl {
namespace {

// Time for a child to end by itself after SIGTERM; removing a lock file takes less.
constexpr std::uint64_t k_grace_ms = 1000;

struct Child : std::enable_shared_from_this<Child> {
  Watcher process;
  Watcher pipe;
  Watcher input_pipe;
  uv_write_t writing{};
  std::string input;
  Watcher grace;  // active while the child has not obeyed SIGTERM yet
  std::array<char, 16384> buffer{};
  std::string name;
  std::size_t limit = 0;
  std::string output;
  bool output_ended = false;
  bool output_too_long = false;
  std::optional<int> status;
  std::function<void(Result<ChildExit>)> done;

  void end() {
    if (status || grace.keeper) return;
    uv_process_kill(&process.uv.process, SIGTERM);
    uv_timer_init(process.uv.process.loop, &grace.uv.timer);
    grace.opened(shared_from_this());
    const auto kill = [](uv_timer_t* timer) {
      uv_process_kill(&owner_of<Child>(timer).process.uv.process, SIGKILL);
    };
    uv_timer_start(&grace.uv.timer, kill, k_grace_ms, 0);
  }
  void take(std::string_view piece) {
    output_too_long = output.size() + piece.size() > limit;
    if (!output_too_long) {
      output += piece;
      return;
    }
    end_output();
    end();
  }
  void end_output() {
    output_ended = true;
    pipe.close();
  }
  // A child may close its stdout long before it exits, and its own children may keep it open.
  void finish_when_complete() {
    if (!status || !output_ended || !done) return;
    const auto call = std::exchange(done, nullptr);
    if (output_too_long) {
      call(Error{Code::error, cat("program '", name, "' printed more than ", limit, " bytes"), ""});
      return;
    }
    call(ChildExit{*status, std::move(output)});
  }
};

class ChildHandle : public Handle {
 public:
  explicit ChildHandle(std::shared_ptr<Child> child) : child_(std::move(child)) {}
  // The process watcher stays until the child has ended, so that it is reaped.
  ~ChildHandle() override {
    child_->done = nullptr;
    child_->pipe.close();
    child_->input_pipe.close();
    child_->end();
  }

 private:
  std::shared_ptr<Child> child_;
};

void on_child_exit(uv_process_t* process, std::int64_t status, int signal) {
  auto& child = owner_of<Child>(process);
  child.status = signal != 0 ? 128 + signal : static_cast<int>(status);
  child.process.close();
  child.input_pipe.close();
  child.grace.close();
  child.finish_when_complete();
}

void on_child_output(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
  auto& child = owner_of<Child>(stream);
  if (size > 0) child.take({buffer->base, static_cast<std::size_t>(size)});
  if (size < 0) child.end_output();
  if (child.output_ended) child.finish_when_complete();
}

void offer_child_buffer(uv_handle_t* stream, std::size_t, uv_buf_t* buffer) {
  auto& space = owner_of<Child>(stream).buffer;
  *buffer = uv_buf_init(space.data(), static_cast<unsigned>(space.size()));
}

bool is_executable(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

// The file to execute; "" when there is none. Empty and relative PATH entries are skipped: a
// working tree must not decide which program runs.
std::string find_program(const ChildSpec& spec) {
  const std::string& name = spec.argv.at(0);
  if (name.find('/') != std::string::npos) {
    return access(resolve_path(spec.directory, name).c_str(), F_OK) == 0 ? name : "";
  }
  const std::string path = spec.environment.get("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (const std::string& directory : split(path, ':')) {
    if (!directory.starts_with('/')) continue;
    if (std::string candidate = directory + '/' + name; is_executable(candidate)) return candidate;
  }
  return "";
}

// A null-terminated array of pointers into the strings.
std::vector<char*> c_array(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// A child would inherit the sockets that libraries open, and keep them open after we exit.
void keep_descriptors_here() {
  constexpr int k_first_descriptor = STDERR_FILENO + 1;
  constexpr int k_all_there_may_be = 16384;  // see allow_many_files()
  DIR* const open_files = ::opendir("/dev/fd");
  if (open_files == nullptr) {
    for (int fd = k_first_descriptor; fd < k_all_there_may_be; ++fd) close_on_exec(fd);
    return;
  }
  while (const dirent* entry = ::readdir(open_files)) {
    const int fd = parse_number<int>(entry->d_name).value_or(0);
    if (fd >= k_first_descriptor) close_on_exec(fd);
  }
  ::closedir(open_files);
}

// The reading end for the child. A socket, which libuv would make, cannot be opened as /dev/stdin.
Result<int> open_input(uv_loop_t* loop, const std::shared_ptr<Child>& child) {
  std::array<uv_file, 2> ends{};
  if (const int failed = uv_pipe(ends.data(), 0, UV_NONBLOCK_PIPE); failed != 0) {
    return Error{Code::error, cat("cannot make a pipe: ", uv_strerror(failed)), ""};
  }
  uv_pipe_init(loop, &child->input_pipe.uv.pipe, 0);
  child->input_pipe.opened(child);
  uv_pipe_open(&child->input_pipe.uv.pipe, ends[1]);
  return ends[0];
}

// A child that ends, or closes its stdin, before it has read everything is fine.
void write_input(Child& child) {
  const uv_buf_t all = uv_buf_init(child.input.data(), static_cast<unsigned>(child.input.size()));
  const auto close = [](uv_write_t* writing, int) {
    owner_of<Child>(writing->handle).input_pipe.close();
  };
  const int failed = uv_write(&child.writing, &child.input_pipe.uv.stream, &all, 1, close);
  if (failed != 0) child.input_pipe.close();
}

int start_program(uv_loop_t* loop, const std::shared_ptr<Child>& child, const std::string& program,
                  ChildSpec& spec, int input) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : spec.environment.all())
    variables.push_back(cat(name, '=', value));
  std::vector<char*> arguments = c_array(spec.argv);
  std::vector<char*> environment = c_array(variables);

  uv_pipe_init(loop, &child->pipe.uv.pipe, 0);
  child->pipe.opened(child);
  std::array<uv_stdio_container_t, 3> streams{};
  streams[0].flags = input >= 0 ? UV_INHERIT_FD : UV_IGNORE;  // ignored: /dev/null
  streams[0].data.fd = input;
  streams[1].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
  streams[1].data.stream = &child->pipe.uv.stream;
  streams[2].flags = UV_INHERIT_FD;
  streams[2].data.fd = STDERR_FILENO;

  uv_process_options_t options{};
  options.exit_cb = on_child_exit;
  options.file = program.c_str();
  options.args = arguments.data();
  options.env = environment.data();
  options.cwd = spec.directory.empty() ? nullptr : spec.directory.c_str();
  options.stdio = streams.data();
  options.stdio_count = static_cast<int>(streams.size());
  keep_descriptors_here();
  const int outcome = uv_spawn(loop, &child->process.uv.process, &options);
  child->process.opened(child);
  if (outcome == 0) uv_read_start(&child->pipe.uv.stream, offer_child_buffer, on_child_output);
  return outcome;
}

bool has_ended(pid_t pid) {
  siginfo_t facts{};
  const bool asked =
      waitid(P_PID, static_cast<id_t>(pid), &facts, WEXITED | WNOHANG | WNOWAIT) == 0;
  return !asked || facts.si_pid != 0;
}

}  // namespace

void end_children(uv_loop_t& loop) {
  std::vector<pid_t> running;
  const auto collect = [](uv_handle_t* handle, void* found) {
    if (handle->type != UV_PROCESS || uv_is_active(handle) == 0) return;
    static_cast<std::vector<pid_t>*>(found)->push_back(
        uv_process_get_pid(reinterpret_cast<uv_process_t*>(handle)));
  };
  uv_walk(&loop, collect, &running);
  for (const pid_t pid : running) kill(pid, SIGTERM);
  constexpr timespec k_reap_pause{0, 5'000'000};
  const std::uint64_t patience = uv_hrtime() + k_grace_ms * 1'000'000;
  while (uv_hrtime() < patience && !std::ranges::all_of(running, has_ended)) {
    nanosleep(&k_reap_pause, nullptr);
  }
  for (const pid_t pid : running) {
    if (!has_ended(pid)) kill(pid, SIGKILL);
  }
}

Error no_such_program(std::string_view program) {
  const bool is_path = program.find('/') != std::string_view::npos;
  return Error{Code::not_found,
               cat("program '", program, is_path ? "' does not exist" : "' was not found on PATH"),
               ""};
}

Result<HandlePtr> start_child(uv_loop_t& loop, ChildSpec& spec,
                              std::function<void(Result<ChildExit>)> done) {
  const std::string program = find_program(spec);
  const std::string name = spec.argv.at(0);
  if (program.empty()) return no_such_program(name);

  auto child = std::make_shared<Child>();
  child->name = name;
  child->limit = spec.output_limit;
  child->done = std::move(done);
  int input = spec.inherit_stdin ? STDIN_FILENO : -1;
  const bool is_fed = !spec.input.empty();
  if (is_fed) {
    TRY_ASSIGN(input, open_input(&loop, child));
  }
  child->input = std::move(spec.input);
  const int outcome = start_program(&loop, child, program, spec, input);
  if (is_fed) close(input);
  if (is_fed && outcome == 0) write_input(*child);
  if (outcome != 0) {
    child->pipe.close();
    child->input_pipe.close();
    child->process.close();
    return Error{Code::error, cat("cannot run '", name, "': ", uv_strerror(outcome)), ""};
  }
  return HandlePtr(std::make_unique<ChildHandle>(std::move(child)));
}

std::string own_program() {
  constexpr std::string_view k_replaced = " (deleted)";
  std::array<char, PATH_MAX> path{};
  std::size_t size = path.size();
  if (uv_exepath(path.data(), &size) != 0) return "";
  std::string program(path.data(), size);
  if (program.ends_with(k_replaced)) program.resize(program.size() - k_replaced.size());
  return program;
}

std::optional<Result<ChildExit>> run_child(Loop& loop, ChildSpec spec, Duration patience) {
  std::optional<Result<ChildExit>> outcome;
  bool is_late = false;
  const HandlePtr child = loop.spawn(
      std::move(spec), [&outcome](Result<ChildExit> exit) { outcome = std::move(exit); });
  const HandlePtr limit = loop.after(patience, [&is_late] { is_late = true; });
  loop.run_until([&] { return outcome.has_value() || is_late; });
  return outcome;
}

}  // namespace trainctl
