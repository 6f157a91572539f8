// A file by ranges where a connection is cut.
#include "transfer/fetching.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "base/file/extraction_root.h"
#include "base/text/text.h"
#include "transfer/local_entries.h"

namespace trainctl::work {

namespace {

constexpr std::string_view k_read_file =
    "exec <\"$1\"\n"
    "if [ \"$2\" -gt 1 ]; then tail -c \"+$2\"\n"
    "elif command -v cat >/dev/null 2>&1; then cat\n"
    "else dd bs=65536 2>/dev/null\n"
    "fi";

// The checksum is made there while the bytes are on their way.
Status compare(Copying& copying, std::optional<Script>& counting, const std::string& script,
               const std::string& path, const std::string& ours) {
  const Duration patience = checksum_patience(copying.elapsed());
  copying.show("comparing checksums");
  Result<std::string> printed = counting->finish(patience);
  while (!printed && copying.shell().cut) {
    TRY(copying.wait_after(printed.error()));
    counting.emplace(copying.shell(), script, std::vector<std::string>{as_argument(path)});
    printed = counting->finish(patience);
  }
  if (printed && checksum_in(*printed) == ours) return {};
  if (printed) return changed_meanwhile(path);
  if (copying.shell().interruption) return printed.error();
  copying.console().warn(
      cat("the size is right; the checksum was not compared: ", printed.error().message));
  return {};
}

}  // namespace

Status fetch_rest(Copying& copying, ExtractionRoot& tree, const Fetching& fetching, Checksum* sum) {
  const auto& [path, facts] = fetching;
  while (true) {
    const std::uint64_t have = tree.written();
    const bool from_there = facts.has("tail");
    std::uint64_t passed_over = from_there ? have : 0;
    Script script(copying.shell(), k_read_file,
                  {as_argument(path), from_there ? cat(have + 1) : "1"});
    Result<std::string_view> piece = script.read();
    for (; piece && !piece->empty(); piece = script.read()) {
      const std::uint64_t again = std::min<std::uint64_t>(have - passed_over, piece->size());
      passed_over += again;
      piece->remove_prefix(again);
      if (tree.written() + piece->size() > facts.size) return changed_meanwhile(path);
      TRY(tree.write(*piece));
      if (sum != nullptr) sum->add(*piece);
      copying.copied(piece->size());
    }
    if (piece) break;
    TRY(copying.wait_after(piece.error()));
    TRY_ASSIGN(const RemoteFacts now, copying.facts_of(path));
    if (now.identity != facts.identity) return changed_meanwhile(path);
  }
  if (tree.written() == facts.size) return {};
  return changed_meanwhile(path);
}

Status fetch_file(Copying& copying, ExtractionRoot& tree, const Fetching& fetching,
                  const std::string& name, bool verify) {
  const auto& [path, facts] = fetching;
  TRY(tree.begin_file(name));
  copying.expect(facts.size);
  const auto tool = verify ? facts.sum_tool() : std::nullopt;
  if (!tool) {
    TRY(fetch_rest(copying, tree, fetching, nullptr));
    return tree.finish_file({facts.mode, facts.modified});
  }
  std::optional<Script> counting(std::in_place, copying.shell(), tool->script(),
                                 std::vector<std::string>{as_argument(path)});
  Checksum sum(tool->method);
  TRY(fetch_rest(copying, tree, fetching, &sum));
  TRY(compare(copying, counting, tool->script(), path, sum.hex()));
  return tree.finish_file({facts.mode, facts.modified});
}

}  // namespace trainctl::work
