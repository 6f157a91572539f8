// Takes the probe's answer apart line by line; a stack comes as the tool printed it.
#include "doctor/process.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "base/text/text.h"
#include "doctor/waits.h"

namespace trainctl::job {
namespace {

constexpr std::size_t k_most_processes = 1000;
constexpr std::size_t k_most_frames = 64;
constexpr std::size_t k_longest_word = 120;
constexpr std::size_t k_longest_command = 300;
constexpr std::string_view k_main_thread = "MainThread";
constexpr std::string_view k_launchers[] = {"torchrun",
                                            "torch.distributed.run",
                                            "torch.distributed.launch",
                                            "torch/distributed/run.py",
                                            "accelerate",
                                            "deepspeed",
                                            "mpirun",
                                            "mpiexec",
                                            "horovodrun"};
constexpr std::string_view k_shells[] = {"sh",   "bash",      "dash",  "ash",   "zsh",
                                         "tini", "dumb-init", "sleep", "pause", "sshd"};
constexpr std::string_view k_library_marks[] = {"site-packages", "dist-packages", "/lib/python",
                                                "<frozen", "<string>"};

// A piece that is cut inside a character keeps its whole ones.
std::string bounded(std::string_view text, std::size_t longest) {
  text = trim(text.substr(0, longest + 4));
  if (text.size() <= longest) return printable_line(text);
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return cat(printable_line(text.substr(0, end)), "…");
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string digits_only(std::string_view text) {
  const bool is_number = !text.empty() && text.size() <= 6 && std::ranges::all_of(text, is_digit);
  return std::string(is_number ? text : "");
}

// "read_shard (data.py:88)", as py-spy prints it.
std::optional<Frame> spy_frame(std::string_view line) {
  line = trim(line);
  const std::size_t open = line.rfind(" (");
  if (open == std::string_view::npos || !line.ends_with(')')) return std::nullopt;
  std::string_view place = line.substr(open + 2, line.size() - open - 3);
  Frame frame{bounded(line.substr(0, open), k_longest_word), "", 0};
  if (const std::size_t colon = place.rfind(':'); colon != std::string_view::npos) {
    if (const auto number = parse_number<int>(place.substr(colon + 1))) {
      frame.line = *number;
      place = place.substr(0, colon);
    }
  }
  frame.file = bounded(place, k_longest_word);
  return frame;
}

// `File "data.py", line 88 in read_shard`, as faulthandler prints it.
std::optional<Frame> handler_frame(std::string_view line) {
  constexpr std::string_view k_begin = "File \"";
  constexpr std::string_view k_middle = "\", line ";
  line = trim(line);
  const std::size_t middle = line.find(k_middle);
  if (!line.starts_with(k_begin) || middle == std::string_view::npos) return std::nullopt;
  const auto [number, name, found] = split_once(line.substr(middle + k_middle.size()), ' ');
  if (!found || !name.starts_with("in ")) return std::nullopt;
  return Frame{bounded(name.substr(3), k_longest_word),
               bounded(line.substr(k_begin.size(), middle - k_begin.size()), k_longest_word),
               parse_number<int>(number).value_or(0)};
}

bool begins_thread(std::string_view line) {
  return line.starts_with("Thread ") || line.starts_with("Current thread ") ||
         line.starts_with("Stack (most recent call first)");
}

// The probe prints what the tool said, be it a stack or a complaint.
void take_tool_text(Process& process, std::string_view text) {
  process.stack = read_stack(text);
  if (!process.stack.empty()) return;
  std::string_view why;
  while (!text.empty() && trim(why).empty()) why = next_line(text);
  process.no_stack = trim(why).empty() ? "py-spy gave no answer in time"
                                       : cat("py-spy: ", bounded(why, k_longest_command));
}

void take_fact(Process& process, std::string_view name, std::string_view value, bool is_arm) {
  if (name == "parent") process.parent = parse_number<int>(value).value_or(0);
  if (name == "state" && !value.empty() && is_letter(value[0])) process.state = value[0];
  if (name == "command") process.command = bounded(value, k_longest_command);
  if (name == "wchan" && value != "0") process.wchan = bounded(value, k_longest_word);
  if (name == "syscall") process.syscall = syscall_name(split_once(value, ' ').first, is_arm);
  if (name == "pipe") process.pipe = bounded(value, k_longest_word);
  if (name == "rank") process.rank = digits_only(value);
  if (name == "local") process.local_rank = digits_only(value);
  constexpr std::uint64_t k_usr1 = 1 << 9;
  if (name == "caught") {
    process.handles_signal = (parse_number<std::uint64_t>(value, 16).value_or(0) & k_usr1) != 0;
  }
  // A path that would not arrive as it is names no file.
  if (name == "dump" && bounded(value, k_longest_command) == value) process.dump = value;
  if (name == "none") process.no_stack = bounded(value, k_longest_word);
  // "[<0>] pipe_read+0x1a/0x2b"
  if (name == "kernel" && process.kernel.size() < 8) {
    const std::string_view function = behind(value, "] ");
    process.kernel.push_back(bounded(function.substr(0, function.find('+')), k_longest_word));
  }
}

// The processor time that a process had used at a moment. Both count hundredths of a second, which
// are the kernel's ticks on every architecture.
struct CpuUse {
  std::int64_t ticks = 0;
  std::int64_t moment = 0;
};

// "1234 56.78", as the kernel prints ticks and its uptime.
std::optional<CpuUse> cpu_use(std::string_view text) {
  const Halves halves = split_once(text, ' ');
  const Halves moment = split_once(halves.second, '.');
  const auto ticks = parse_number<std::int64_t>(halves.first);
  const auto at = parse_number<std::int64_t>(cat(moment.first, moment.second));
  if (!ticks || !at || moment.second.size() != 2) return std::nullopt;
  return CpuUse{*ticks, *at};
}

// "PID 1290 57.78", behind the "used" of the same process.
void take_later(ProbeAnswer& answer, const std::map<int, CpuUse>& used, std::string_view text) {
  constexpr std::int64_t k_most_percent = 100'000;
  const Halves halves = split_once(text, ' ');
  const int pid = parse_number<int>(halves.first).value_or(-1);
  const auto later = cpu_use(halves.second);
  const auto earlier = used.find(pid);
  if (!later || earlier == used.end() || later->moment <= earlier->second.moment) return;
  const std::int64_t ticks = later->ticks - earlier->second.ticks;
  if (ticks < 0 || ticks > k_most_percent) return;
  const auto process = std::ranges::find(answer.processes, pid, &Process::pid);
  const std::int64_t percent = ticks * 100 / (later->moment - earlier->second.moment);
  if (process == answer.processes.end() || percent > k_most_percent) return;
  process->cpu_percent = static_cast<int>(percent);
}

bool holds_any(std::string_view text, std::span<const std::string_view> marks) {
  return std::ranges::any_of(
      marks, [text](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

bool is_shell(const Process& process) {
  const std::string_view command = process.command;
  return std::ranges::count(k_shells, base_name(command.substr(0, command.find(' ')))) > 0;
}

bool is_python(const Process& process) {
  return !process.stack.empty() || !process.no_stack.empty();
}

}  // namespace

std::vector<Frame> read_stack(std::string_view text) {
  std::vector<Frame> frames;
  bool is_main = false, is_inside = false;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (begins_thread(line)) {
      if (is_main) break;
      is_inside = true;
      is_main = line.find(k_main_thread) != std::string_view::npos;
      // faulthandler names no thread, and prints the main one last.
      frames.clear();
    }
    if (!is_inside || !line.starts_with(' ')) continue;
    auto frame = spy_frame(line);
    if (auto other = handler_frame(line)) frame = std::move(other);
    if (frame && frames.size() < k_most_frames) frames.push_back(*std::move(frame));
  }
  return frames;
}

ProbeAnswer read_probe(std::string_view text, std::string_view mark) {
  ProbeAnswer answer;
  bool is_arm = false;
  std::map<int, CpuUse> used;
  std::optional<std::string> tool_text;
  const auto end_tool_text = [&] {
    if (tool_text && !answer.processes.empty()) {
      take_tool_text(answer.processes.back(), *tool_text);
    }
    tool_text.reset();
  };
  while (!text.empty() && !answer.is_complete) {
    std::string_view line = next_line(text);
    if (!line.starts_with(mark) || !line.substr(mark.size()).starts_with(' ')) {
      if (tool_text) *tool_text += cat(line, '\n');
      continue;
    }
    end_tool_text();
    line.remove_prefix(mark.size() + 1);
    const std::size_t blank = line.find(' ');
    const std::string_view name = line.substr(0, blank);
    const std::string_view value =
        blank == std::string_view::npos ? "" : trim(line.substr(blank + 1));
    if (name == "machine") is_arm = value == "aarch64";
    if (name == "spy") tool_text.emplace();
    answer.is_complete = name == "end";
    if (name == "later") {
      take_later(answer, used, value);
    } else if (name == "process") {
      if (answer.processes.size() == k_most_processes) return answer;
      answer.processes.emplace_back().pid = parse_number<int>(value).value_or(0);
    } else if (!answer.processes.empty()) {
      Process& process = answer.processes.back();
      if (const auto use = name == "used" ? cpu_use(value) : std::nullopt) used[process.pid] = *use;
      take_fact(process, name, value, is_arm);
    }
  }
  end_tool_text();
  return answer;
}

std::string frame_words(const Frame& frame) {
  return cat(base_name(frame.file), frame.line > 0 ? cat(":", frame.line) : "", " ", frame.name);
}

const Frame* own_frame(const std::vector<Frame>& stack) {
  for (const Frame& frame : stack) {
    if (!holds_any(frame.file, k_library_marks)) return &frame;
  }
  return stack.empty() ? nullptr : &stack.front();
}

bool can_be_asked(const Process& process) {
  const bool is_able = process.state == 'S' || process.state == 'R';
  return is_able && process.handles_signal && process.stack.empty() && is_python(process);
}

bool is_traceback_line(std::string_view line) {
  return line.starts_with("  File \"") ||
         (begins_thread(line) && line.find("(most recent call first)") != std::string_view::npos);
}

bool is_launcher(const Process& process) {
  return holds_any(process.command, k_launchers);
}

std::vector<Process> training_processes(const ProbeAnswer& answer) {
  std::vector<Process> ranks;
  std::set<std::string> seen;
  for (const Process& process : answer.processes) {
    const bool trains = !process.local_rank.empty() && !is_shell(process) && is_python(process);
    if (trains && seen.insert(process.local_rank).second) ranks.push_back(process);
  }
  if (!ranks.empty()) return ranks;
  const auto first = [&answer](auto accepts) {
    const auto found = std::ranges::find_if(answer.processes, accepts);
    return found == answer.processes.end() ? std::vector<Process>{} : std::vector{*found};
  };
  auto chosen = first([](const Process& process) {
    return is_python(process) && !is_launcher(process) && !is_shell(process);
  });
  if (chosen.empty()) chosen = first([](const Process& process) { return !is_shell(process); });
  if (chosen.empty() && !answer.processes.empty()) chosen = {answer.processes.front()};
  return chosen;
}

}  // namespace trainctl::job
