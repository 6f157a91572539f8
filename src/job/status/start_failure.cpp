// Normalises reasons and messages of kubelet and container runtimes.
#include "job/status/start_failure.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/text.h"
#include "job/status/program_fault.h"

namespace trainctl::job {

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
