// In GNU tar's format, which every tar reads, BusyBox's as well: that one ignores long names in
// the POSIX format.
#include "base/file/tar_writer.h"

#include <utility>

#include <archive.h>
#include <archive_entry.h>

#include "base/file/archive_library.h"
#include "base/text/text.h"

namespace trainctl {
namespace {

struct FreeWrittenArchive {
  void operator()(archive* written) const { archive_write_free(written); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using EntryPtr = std::unique_ptr<archive_entry, FreeEntry>;

EntryPtr header_of(const TarEntry& entry) {
  EntryPtr header(archive_entry_new());
  archive_entry_set_pathname(header.get(), entry.path.c_str());
  archive_entry_set_mtime(header.get(), entry.modified, 0);
  archive_entry_set_perm(header.get(), static_cast<mode_t>(entry.mode));
  archive_entry_set_size(header.get(), 0);
  if (const auto* file = std::get_if<TarFile>(&entry.what)) {
    archive_entry_set_filetype(header.get(), AE_IFREG);
    archive_entry_set_size(header.get(), static_cast<la_int64_t>(file->size));
  } else if (const auto* link = std::get_if<TarSymlink>(&entry.what)) {
    archive_entry_set_filetype(header.get(), AE_IFLNK);
    archive_entry_set_symlink(header.get(), link->target.c_str());
  } else {
    archive_entry_set_filetype(header.get(), AE_IFDIR);
  }
  return header;
}

}  // namespace

struct TarWriter::State {
  Sink sink;
  Status sunk;                // why the sink takes no more
  std::uint64_t awaited = 0;  // bytes of the file begun
  std::string path;           // of the entry begun
  // Last, since freeing it may call take() once more, which uses the others.
  std::unique_ptr<archive, FreeWrittenArchive> written{archive_write_new()};

  static la_ssize_t take(archive* /*written*/, void* self, const void* bytes, std::size_t size) {
    State& state = *static_cast<State*>(self);
    if (state.sunk) state.sunk = state.sink({static_cast<const char*>(bytes), size});
    if (state.sunk) return static_cast<la_ssize_t>(size);
    return -1;
  }

  // All bytes of the entry begun are there.
  Status complete() const {
    if (awaited == 0) return {};
    return Error{Code::error, cat(printable_line(path), " shrank while it was being read")};
  }

  Status result(la_int64_t outcome) const {
    if (!sunk) return sunk;
    if (outcome >= ARCHIVE_OK) return {};
    const char* why = archive_error_string(written.get());
    return Error{Code::error, cat("cannot pack ", printable_line(path), ": ",
                                  why == nullptr ? "it does not fit a tar archive" : why)};
  }
};

TarWriter::TarWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
TarWriter::TarWriter(TarWriter&&) noexcept = default;
TarWriter& TarWriter::operator=(TarWriter&&) noexcept = default;

Result<TarWriter> TarWriter::open(Compression compression, Sink sink) {
  TRY(load_archive());
  auto state = std::make_unique<State>();
  state->sink = std::move(sink);
  archive* written = state->written.get();
  archive_write_set_format_gnutar(written);
  if (compression == Compression::gzip) {
    archive_write_add_filter_gzip(written);
    archive_write_set_filter_option(written, "gzip", "timestamp", nullptr);
  }
  archive_write_set_bytes_in_last_block(written, 1);
  archive_write_open(written, state.get(), nullptr, State::take, nullptr);
  return TarWriter(std::move(state));
}

// Freeing an archive that was not finished would still write its end.
TarWriter::~TarWriter() {
  if (state_ && state_->sunk) state_->sunk = Error{Code::error, "abandoned"};
}

Status TarWriter::begin(const TarEntry& entry) {
  TRY(state_->complete());
  const EntryPtr header = header_of(entry);
  state_->path = entry.path;
  TRY(state_->result(archive_write_header(state_->written.get(), header.get())));
  if (const auto* file = std::get_if<TarFile>(&entry.what)) state_->awaited = file->size;
  return {};
}

Status TarWriter::write(std::string_view bytes) {
  if (bytes.size() > state_->awaited) {
    return Error{Code::error, cat(printable_line(state_->path), " grew while it was being read")};
  }
  state_->awaited -= bytes.size();
  return state_->result(archive_write_data(state_->written.get(), bytes.data(), bytes.size()));
}

Status TarWriter::finish() {
  TRY(state_->complete());
  return state_->result(archive_write_close(state_->written.get()));
}

}  // namespace trainctl
