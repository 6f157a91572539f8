// Normalises reasons and messages of kubelet and container runtimes.
#include "status/start_failure.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

void cut_before(std::string& text, std::string_view part) {
  if (const auto at = text.find(part); at != std::string::npos) text.erase(0, at);
}

struct Cause {
  std::string_view says;  // what the runtime's message contains
  std::string_view words;
};
// Behind the program's name. The order counts.
constexpr std::array<Cause, 6> k_causes = {{
    {"not found in $PATH", "not found in PATH"},
    {"permission denied", "permission denied: is it executable?"},
    {"is a directory", "is a directory, not a program"},
    {"not a directory", "part of its path is a file"},
    {"exec format error", "is neither a program for this machine nor a script that begins with #!"},
    {"no such file or directory", "no such file"},
}};

std::string_view cause_in(std::string_view text) {
  for (const Cause& cause : k_causes) {
    if (text.find(cause.says) != std::string_view::npos) return cause.words;
  }
  return "";
}

// `chdir to cwd ("/work") set in config.json failed: no such file or directory`
std::string working_directory_fault(std::string_view text) {
  const std::string directory = between(text, "chdir to cwd (\"", "\")");
  constexpr std::string_view k_failed = "failed: ";
  const auto at = text.rfind(k_failed);
  if (directory.empty() || at == std::string_view::npos) return "";
  return cat("working directory ", directory, ": ", text.substr(at + k_failed.size()));
}

// `exec: "trian": executable file not found in $PATH`: it was looked for in vain.
std::string missing_program_fault(std::string_view text) {
  std::string program = between(text, "exec: \"", "\": ");
  if (program.empty()) program = between(text, "executable file `", "` ");  // crun
  const std::string_view cause = cause_in(text);
  return program.empty() || cause.empty() ? "" : cat(program, ": ", cause);
}

// `exec /app/run.sh: no such file or directory`: the program is there, so it is its interpreter
// that is not.
std::string execution_fault(std::string_view text) {
  const std::string program = between(text, "exec /", ": ");
  if (program.empty()) return "";
  const bool interpreter = text.find("no such file or directory") != std::string_view::npos;
  const std::string_view cause =
      interpreter ? "the interpreter named in its first line is missing" : cause_in(text);
  return cause.empty() ? "" : cat('/', program, ": ", cause);
}

}  // namespace

std::string program_fault(std::string runtime_message) {
  std::string& text = runtime_message;
  constexpr std::string_view k_tail = ": unknown";
  if (text.ends_with(k_tail)) text.resize(text.size() - k_tail.size());
  for (const auto read : {working_directory_fault, missing_program_fault, execution_fault}) {
    if (std::string words = read(text); !words.empty()) return words;
  }
  cut_before(text, "exec: \"");
  return text.empty() ? "the program could not be started" : text;
}

namespace {

constexpr std::string_view k_start_error = "StartError";
constexpr std::string_view k_image = "ImagePullBackOff";
constexpr std::string_view k_config = "CreateContainerConfigError";
constexpr std::string_view k_create = "CreateContainerError";

struct Spelling {
  std::string_view reason, canonical;
};
// Waiting and terminated reasons (kubelet: pkg/kubelet/images, kuberuntime; containerd; dockerd).
constexpr std::array<Spelling, 10> k_spellings = {{{"RunContainerError", k_start_error},
                                                   {"StartError", k_start_error},
                                                   {"ContainerCannotRun", k_start_error},
                                                   {"ErrImagePull", k_image},
                                                   {k_image, k_image},
                                                   {"ErrImageNeverPull", "ErrImageNeverPull"},
                                                   {"InvalidImageName", "InvalidImageName"},
                                                   {"ImageInspectError", "ImageInspectError"},
                                                   {k_config, k_config},
                                                   {k_create, k_create}}};

std::string_view canonical_reason(std::string_view reason) {
  const auto found = std::ranges::find_if(
      k_spellings, [reason](const Spelling& one) { return one.reason == reason; });
  return found == k_spellings.end() ? "" : found->canonical;
}

void cut_through(std::string& text, std::string_view part) {
  if (const auto at = text.find(part); at != std::string::npos) text.erase(0, at + part.size());
}

std::string message_words(std::string_view reason, std::string_view message) {
  std::string text = printable_line(trim(message));
  if (reason == k_start_error) return program_fault(std::move(text));
  if (reason == k_image) cut_through(text, ": ErrImagePull: ");
  return text;
}

std::optional<StartFailure> failure(std::string_view reason, std::string_view message) {
  const std::string_view canonical = canonical_reason(reason);
  if (canonical.empty()) return std::nullopt;
  return StartFailure{std::string(canonical), message_words(canonical, message)};
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [text](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// The kubelet's Failed event, "Error: …", has the status's message but not its reason.
std::string_view reason_behind(std::string_view message) {
  const std::string_view known = canonical_reason(message);
  if (!known.empty()) return known;
  if (has_any(message,
              {"exec: \"", "containerd task", "OCI runtime", "failed to start container"})) {
    return k_start_error;
  }
  if (has_any(message, {"couldn't find key", "secret \"", "configmap \""})) return k_config;
  return k_create;
}

std::optional<StartFailure> read_event(const Json& event) {
  const std::string reason = text_at(event, "/reason");
  std::string message = text_at(event, "/message");
  if (reason == "FailedMount" || reason == "FailedAttachVolume") {
    return StartFailure{reason, printable_line(trim(message))};
  }
  if (reason == "ErrImageNeverPull") return failure(reason, message);
  if (reason == "InspectFailed") return failure("InvalidImageName", message);
  if (reason != "Failed") return std::nullopt;
  constexpr std::string_view k_error = "Error: ";
  if (message.starts_with(k_error)) {
    message.erase(0, k_error.size());
    const std::string_view behind = reason_behind(message);
    return failure(behind, canonical_reason(message).empty() ? message : "");
  }
  if (!message.starts_with("Failed to pull image ")) return std::nullopt;
  cut_through(message, "\": ");
  return failure(k_image, message);
}

}  // namespace

std::string StartFailure::words() const {
  if (is_of_program()) return message;
  return message.empty() ? reason : cat(reason, ": ", message);
}

std::optional<StartFailure> read_start_failure(const Json& status) {
  if (find(status, "/state/running") != nullptr) return std::nullopt;
  for (const char* place : {"/state/terminated", "/lastState/terminated"}) {
    const Json* ended = find(status, place);
    if (ended == nullptr) continue;
    // The runtime's own message is the most detailed, and stays the same while the node backs off.
    if (auto read = failure(text_at(*ended, "/reason"), text_at(*ended, "/message"))) return read;
    break;
  }
  const Json* waiting = find(status, "/state/waiting");
  if (waiting == nullptr) return std::nullopt;
  return failure(text_at(*waiting, "/reason"), text_at(*waiting, "/message"));
}

std::optional<StartFailure> last_start_failure(std::span<const Json* const> pod_events) {
  std::optional<StartFailure> latest;
  for (const Json* event : pod_events) {
    if (text_at(*event, "/reason") == "Started") latest.reset();
    auto read = read_event(*event);
    if (!read) continue;
    // For an image, "Error: ErrImagePull" follows the event with the actual cause.
    const bool says_less = latest && latest->reason == read->reason && read->message.empty();
    if (!says_less) latest = std::move(read);
  }
  return latest;
}

}  // namespace trainctl::job
