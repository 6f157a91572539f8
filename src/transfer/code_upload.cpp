// Writes under a temporary name, continues after a cut, and renames what has the right checksum.
#include "transfer/code_upload.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/companions.h"
#include "transfer/copy.h"
#include "transfer/helper.h"
#include "transfer/sending.h"

namespace trainctl::work {
namespace {

constexpr Duration k_pod_patience = std::chrono::minutes(5);
constexpr Duration k_pod_removal = std::chrono::seconds(20);
constexpr std::string_view k_claim_place = "/claim";
constexpr std::size_t k_sent_at_once = std::size_t{64} << 10U;

// Users share the directory, as they share /tmp. An archive's time is that of its last use. $1 is
// it, $2 the archive there, $3 its digest.
constexpr std::string_view k_prepare_claim =
    "command -v sha256sum >/dev/null || { echo no sha256sum; exit 0; }\n"
    "[ -d \"$1\" ] || { mkdir -p \"$1\" && chmod 1777 \"$1\"; } || exit 1\n"
    "if [ -f \"$2\" ] && [ \"`sha256sum <\"$2\"`\" = \"$3  -\" ]; then\n"
    "  touch \"$2\" 2>/dev/null\n"
    "  echo there\n"
    "fi";
// Again after an answer that was lost, there is nothing left to do.
constexpr std::string_view k_store_archive =
    "[ -e \"$1\" ] || { [ -e \"$2\" ]; exit; }\n"
    "[ \"`sha256sum <\"$1\"`\" = \"$3  -\" ] || { echo 'the bytes that arrived are not those that "
    "were sent' >&2; exit 1; }\n"
    "[ ! -d \"$2\" ] || { echo \"$2 is a directory\" >&2; exit 1; }\n"
    "chmod 644 \"$1\" && mv -f \"$1\" \"$2\"";

bool says(const Error& error, std::string_view part) {
  return error.message.find(part) != std::string::npos;
}

class CodeUpload {
 public:
  CodeUpload(Access& access, kube::Client& client, CodeForClaim& code, const std::string& ns)
      : access_(access), client_(client), code_(code), claim_(code.code.claim), ns_(ns) {}

  Status run();

 private:
  Result<job::HelperOrder> order();
  Status store(Shell& shell);
  Status send(Copying& copying);
  Status attempt(Copying& copying);
  Error explained(Error error) const;

  Access& access_;
  kube::Client& client_;
  CodeForClaim& code_;
  const job::CodeClaim& claim_;
  const std::string& ns_;
  std::string archive_, temporary_;  // paths in the helper pod
};

Status CodeUpload::run() {
  const std::optional<Deadline>& deadline = access_.deadline;
  TRY_ASSIGN(job::HelperOrder helper, order());
  Shell shell{access_,
              client_,
              {"pod", helper.name, ns_, helper.name, std::string(job::k_helper_container)}};
  shell.heed_signals();
  HandlePtr timer;
  if (deadline && !deadline->looks_once()) {
    timer = access_.loop.after(std::max(Duration{}, std::chrono::duration_cast<Duration>(
                                                        deadline->at - access_.loop.now())),
                               [&] { shell.interruption = timed_out(*deadline); });
  }
  HelperPod pod(shell, std::move(helper),
                {"upload", "--code-image",
                 cat("kubectl describe pvc ", claim_.name, " -n ", ns_,
                     " says what it waits for; --code-image takes another image")});
  Status status = pod.start(k_pod_patience);
  if (status) status = store(shell);
  // The command's own limit may be reached, also by a signal.
  access_.loop.ending_signals().forget();
  const LimitedCalls removal(access_, deadline_after(k_pod_removal, access_.loop.now()));
  if (!status) return explained(pod.remove(std::move(status)).error());
  if (const Status removed = pod.remove({}); !removed)
    access_.console.warn(removed.error().message);
  code_.bytes = {};
  return {};
}

Result<job::HelperOrder> CodeUpload::order() {
  auto found = client_.get(job::k_claims, ns_, claim_.name);
  const bool is_missing = !found && found.error().code == Code::not_found;
  if (is_missing && !access_.embedded) {
    return Error{Code::not_found,
                 cat("--code-claim: there is no claim ", claim_.name, " in namespace ", ns_),
                 cat("create it first, or name another one: kubectl get pvc -n ", ns_)};
  }
  if (!found && !is_missing) return explained(std::move(found).error());
  sweep_helpers(access_, client_, ns_);
  job::HelperOrder helper = new_order(access_, ns_);
  job::LastingMount mount = job::whole_claim(claim_.name, std::string(k_claim_place));
  mount.mount.erase("readOnly");
  if (!claim_.directory.empty()) mount.mount["subPath"] = claim_.directory;
  helper.mounts = {std::move(mount)};
  helper.plan = code_.plan;
  helper.image = code_.code.image;
  const bool has_image = helper.plan && !text_at(helper.plan->container, "/image").empty();
  // The embedded cluster, which needs none, takes no pod without.
  if (helper.image.empty() && !has_image) helper.image = "none";
  if (is_missing) return helper;
  helper.owner = kube::owner_reference(job::k_claims, *found);
  // The helper pod may be the first consumer that a volume waits for.
  if (text_at(*found, "/status/phase") == "Pending") return helper;
  auto node = node_for(client_, ns_, helper.mounts);
  if (!node) {
    Error error = explained(std::move(node).error());
    if (error.code == Code::refused) error.hint = "name another claim, or wait until that pod ends";
    return error;
  }
  helper.node = *std::move(node);
  return helper;
}

Status CodeUpload::store(Shell& shell) {
  const std::string root(k_claim_place);
  const std::string directory = cat(root, '/', job::CodeClaim{}.archives());
  archive_ = cat(directory, '/', code_.code.archive_name());
  temporary_ = cat(archive_, ".part-", access_.unique_id());
  Copying copying(shell);
  TRY_ASSIGN(const std::string printed,
             copying.answer(k_prepare_claim, {directory, archive_, code_.code.digest}));
  if (printed.starts_with("no ")) {
    return Error{Code::not_found, "the image has no sha256sum, which checks what was sent",
                 "--code-image IMAGE names one with sh, tar, gzip and sha256sum, such as busybox"};
  }
  if (!printed.empty()) {
    access_.console.notice(cat("claim ", claim_.name, " has this code already"));
    return {};
  }
  Status sent = send(copying);
  if (!sent) {
    if (!remove_arrived(shell, temporary_)) {
      access_.console.warn(cat("left in claim ", claim_.name, ": ", claim_.archives(), '/',
                               temporary_.substr(temporary_.rfind('/') + 1)));
    }
    return sent;
  }
  access_.console.notice(cat("code sent to claim ", claim_.name, ": ", size_text(code_.code.size),
                             " in ", format_age(copying.elapsed())));
  return {};
}

Status CodeUpload::send(Copying& copying) {
  copying.expect(code_.bytes.size());
  for (Status status = attempt(copying); !status; status = attempt(copying)) {
    TRY(copying.wait_after(std::move(status).error()));
  }
  copying.show("comparing checksums");
  TRY(copying.answer(k_store_archive, {temporary_, archive_, code_.code.digest}));
  return {};
}

// Sends what is not there yet.
Status CodeUpload::attempt(Copying& copying) {
  std::uint64_t at = 0;
  if (copying.done() > 0) {
    TRY_ASSIGN(const std::uint64_t there, arrived_size(copying, temporary_));
    at = std::min<std::uint64_t>(there, code_.bytes.size()) / k_write_block * k_write_block;
  }
  Script script(copying.shell(), k_write_file, {temporary_, cat(at / k_write_block)}, true);
  copying.at(at);
  const std::string_view bytes = code_.bytes;
  while (at < bytes.size()) {
    const std::string_view piece = bytes.substr(at, k_sent_at_once);
    TRY(script.write(piece));
    at += piece.size();
    copying.at(at);
  }
  script.end_input();
  TRY(script.finish());
  return {};
}

Error CodeUpload::explained(Error error) const {
  if (ending_signal(error.code) != nullptr || error.code == Code::timeout) return error;
  if (says(error, "No space left") || says(error, "quota exceeded")) {
    error.hint = cat("the claim is full: remove archives that no job needs from ",
                     claim_.archives(), ", or name another claim");
  } else if (says(error, "ermission denied") || says(error, "Read-only file system")) {
    error.hint =
        "name a claim and a directory that the job's user may write: --code-claim "
        "CLAIM:SUBPATH";
  }
  return in_context(cat("--code-claim ", claim_.words()), std::move(error));
}

}  // namespace

std::function<Status()> upload_of_code(Access& access, const Manifest& manifest) {
  if (!manifest.for_claim) return {};
  return [&access, &manifest]() -> Status {
    CodeForClaim& code = *manifest.for_claim;
    if (code.outcome) return *code.outcome;
    TRY_ASSIGN(kube::Client * client, access.client());
    code.outcome = CodeUpload(access, *client, code, manifest.ns).run();
    return *code.outcome;
  };
}

}  // namespace trainctl::work
