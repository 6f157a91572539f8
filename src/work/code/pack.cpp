// Reads each file whole, and compares what was read with what was chosen.
#include "work/code/pack.h"

#include <algorithm>

#include "base/file/sha256.h"
#include "base/file/tar.h"
#include "base/text/text.h"
#include "work/code/choice.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_largest_shown = 5;
// 1980-01-01, before which no zip file of packed sources can be dated. Times would make another
// archive of a fresh clone.
constexpr std::int64_t k_modified = 315'532'800;
constexpr unsigned k_plain_mode = 0644;
constexpr unsigned k_program_mode = 0755;
constexpr unsigned k_link_mode = 0777;

Error too_much(const CodeChoice& choice, bool in_claim) {
  std::vector<const CodeFile*> files;
  for (const CodeFile& file : choice.files) files.push_back(&file);
  std::ranges::stable_sort(
      files, [](const CodeFile* a, const CodeFile* b) { return a->node.size > b->node.size; });
  if (files.size() > k_largest_shown) files.resize(k_largest_shown);
  std::vector<std::string> names;
  for (const CodeFile* file : files) {
    names.push_back(cat(printable_line(file->path), " (", size_text(file->node.size), ")"));
  }
  const std::uint64_t most = in_claim ? job::k_most_code_in_claim : job::k_most_code;
  return {Code::usage,
          cat("--code: more than ", size_text(most), " packed, which is too much for ",
              in_claim ? "--code-claim" : "config maps", "; the largest: ", join(names, ", ")),
          cat("exclude files that are not code with lines in .trainctlignore, and mount data with "
              "--pvc",
              in_claim ? "" : "; --code-claim CLAIM sends up to 2 GiB through a claim")};
}

class Packing {
 public:
  Packing(Access& access, const CodeChoice& choice, bool in_claim)
      : access_(access), choice_(choice), in_claim_(in_claim) {}

  Result<CodeArchive> run() {
    const auto sink = [this](std::string_view bytes) -> Status {
      archive_.bytes += bytes;
      const auto most = in_claim_ ? job::k_most_code_in_claim : job::k_most_code;
      if (archive_.bytes.size() <= most) return {};
      return too_much(choice_, in_claim_);
    };
    TRY_ASSIGN(TarWriter tar, TarWriter::open(TarWriter::Compression::gzip, sink));
    for (const CodeFile& file : choice_.files) TRY(add(tar, file));
    TRY(tar.finish());
    archive_.code.digest = sha256_hex(archive_.bytes);
    archive_.code.size = archive_.bytes.size();
    archive_.code.files = choice_.files.size();
    archive_.code.revision = choice_.revision;
    archive_.sent.directory = choice_.directory;
    archive_.sent.is_in_git = choice_.is_in_git;
    archive_.sent.ignored = choice_.ignored;
    return std::move(archive_);
  }

  std::uint64_t size() const { return size_; }

 private:
  Status add(TarWriter& tar, const CodeFile& file) {
    const FileNode& node = file.node;
    if (node.kind == FileNode::Kind::link) {
      archive_.sent.links[file.path] = node.target;
      return tar.begin({file.path, TarSymlink{node.target}, k_link_mode, k_modified});
    }
    // It is read whole, and more than that is hardly code.
    const auto most = in_claim_ ? job::k_most_code_in_claim : job::k_most_code * 8;
    if (node.size > most) return too_much(choice_, in_claim_);
    const auto read = access_.files.read_below(choice_.directory, file.path);
    const bool is_same = read && read->node.stamp == node.stamp;
    if (is_same && !read->content) {
      const Error& why = read->content.error();
      return Error{Code::usage, why.message, why.hint};
    }
    if (!is_same || read->content->size() != node.size) {
      return Error{Code::usage, cat(printable_line(file.path), " changed while it was packed"),
                   "submit again when nothing writes to it, or leave it out with a line in "
                   ".trainctlignore"};
    }
    size_ += node.size;
    archive_.sent.files[file.path] = sha256_hex(*read->content);
    const unsigned mode = node.is_executable ? k_program_mode : k_plain_mode;
    TRY(tar.begin({file.path, TarFile{node.size}, mode, k_modified}));
    return tar.write(*read->content);
  }

  Access& access_;
  const CodeChoice& choice_;
  bool in_claim_;
  CodeArchive archive_;
  std::uint64_t size_ = 0;
};

}  // namespace

Result<CodeArchive> pack_code(Access& access, const CodeSource& source) {
  auto choice = choose_code(access, source.directory, source.included);
  if (!choice) return in_context("--code", std::move(choice).error());
  const std::string shown = printable_line(source.directory);
  if (choice->files.empty()) {
    return Error{Code::usage, cat("--code: there is no file to send in ", shown),
                 "files that git or .trainctlignore ignores are not sent"};
  }
  Packing packing(access, *choice, !source.claim.empty());
  TRY_ASSIGN(CodeArchive archive, packing.run());
  archive.code.image = source.image;
  if (!source.claim.empty()) {
    TRY_ASSIGN(archive.code.claim, job::parse_code_claim(source.claim));
  }
  access.console.notice(
      cat("code ", shown, ": ", plural(static_cast<long>(archive.code.files), "file"), ", ",
          size_text(archive.code.size), " packed (", size_text(packing.size()), ")"));
  return archive;
}

}  // namespace trainctl::work
