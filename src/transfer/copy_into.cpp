// From this machine to the container: where it goes, as cp decides it.
#include <utility>

#include "base/file/output_file.h"
#include "base/text/text.h"
#include "net/http.h"
#include "transfer/copy.h"
#include "transfer/fetching.h"
#include "transfer/local_entries.h"
#include "transfer/sending.h"

namespace trainctl::work {
namespace {

Status refuse(const Shell& shell, const RemoteFacts& facts, const std::string& path) {
  if (facts.kind == RemoteFacts::Kind::other) {
    return Error{Code::refused, cat(printable_line(path), " is neither file nor directory")};
  }
  if (path.ends_with('/') && facts.kind != RemoteFacts::Kind::directory) {
    return Error{Code::not_found,
                 cat("there is no directory ", printable_line(path), " in ", shell.target.name()),
                 cat("trainctl exec ", shell.target.name(), " -- mkdir -p ", shell_quoted(path))};
  }
  return {};
}

}  // namespace

Status copy_to(Shell& shell, CopyOrder order) {
  const std::string typed = std::move(order.local);
  order.local = resolve_path(shell.access.working_directory(), typed);
  Copying copying(shell);
  TRY_ASSIGN(TarEntry source, local_entry(order.local, typed));
  TRY_ASSIGN(RemoteFacts facts, copying.facts_of(order.remote));
  TRY(refuse(shell, facts, order.remote));
  const bool is_file = std::holds_alternative<TarFile>(source.what);
  std::string to = order.remote;
  const std::string name = last_name(typed);
  if (facts.kind == RemoteFacts::Kind::directory && !name.empty()) {
    to += cat(to.ends_with('/') ? "" : "/", name);
    TRY_ASSIGN(facts, copying.facts_of(to));
  }
  const auto obstacle = is_file ? RemoteFacts::Kind::directory : RemoteFacts::Kind::file;
  if (facts.kind == obstacle || facts.kind == RemoteFacts::Kind::other) {
    return Error{Code::refused, cat(printable_line(to), " exists in ", shell.target.name(),
                                    is_file ? ", and is not a file" : ", and is not a directory")};
  }
  const Sending sending{order.local, to, std::move(facts), order.verify};
  if (is_file) {
    TRY(send_file(copying, sending, source));
  } else {
    if (!sending.facts.has("tar")) return no_tar(shell);
    TRY(send_directory(copying, sending));
  }
  return copying.finish(typed);
}

}  // namespace trainctl::work
