// Reading enables the tar format alone: no compression, so that no few bytes become many.
#include "base/file/tar.h"

#include <algorithm>
#include <utility>

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

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
  auto state = std::make_unique<State>();
  state->sink = std::move(sink);
  archive* written = state->written.get();
  // Every tar reads GNU's format; BusyBox's ignores long names in the POSIX one.
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
  const std::vector<std::string> steps = split(entry.path, '/');
  if (entry.path.starts_with('/') || std::ranges::find(steps, "..") != steps.end()) {
    return Error{Code::error, cat(printable_line(entry.path), " leads out of the archive"), ""};
  }
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

namespace {

constexpr std::size_t k_block = 512;  // an archive consists of blocks, and ends with two of zeros

struct FreeReadArchive {
  void operator()(archive* read) const { archive_read_free(read); }
};

std::string_view or_empty(const char* text) {
  return text == nullptr ? std::string_view() : text;
}

// In a header of the POSIX format, names are UTF-8, which the locale may not be able to say.
std::string path_of(archive_entry* entry) {
  const std::string_view path = or_empty(archive_entry_pathname(entry));
  return std::string(path.empty() ? or_empty(archive_entry_pathname_utf8(entry)) : path);
}

decltype(TarItem::what) content_of(archive_entry* entry) {
  if (const std::string_view target = or_empty(archive_entry_hardlink(entry)); !target.empty()) {
    return TarHardLink{std::string(target)};
  }
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      if (archive_entry_sparse_count(entry) > 0) return TarOther{"a file with holes"};
      if (archive_entry_size(entry) < 0) return TarOther{"a file of unknown size"};
      return TarFile{static_cast<std::uint64_t>(archive_entry_size(entry))};
    case AE_IFDIR:
      return TarDirectory{};
    case AE_IFLNK:
      return TarSymlink{std::string(or_empty(archive_entry_symlink(entry)))};
    case AE_IFIFO:
      return TarOther{"a FIFO"};
    case AE_IFCHR:
    case AE_IFBLK:
      return TarOther{"a device"};
    default:
      return TarOther{"of an unknown type"};
  }
}

}  // namespace

struct TarReader::State {
  Source source;
  Status failed;  // why the source has no more
  bool drained = false;
  std::uint64_t given = 0;  // bytes of the source
  std::size_t zeros = 0;    // at their end
  std::uint64_t at = 0;     // in the file begun
  std::uint64_t size = 0;   // of that, as announced
  std::unique_ptr<archive, FreeReadArchive> read;

  static la_ssize_t give(archive* /*read*/, void* self, const void** bytes) {
    State& state = *static_cast<State*>(self);
    const Result<std::string_view> piece = state.pull();
    if (!piece) return -1;
    *bytes = piece->data();
    return static_cast<la_ssize_t>(piece->size());
  }

  Result<std::string_view> pull() {
    if (!failed) return failed.error();
    if (drained) return std::string_view();
    Result<std::string_view> piece = source();
    if (!piece) {
      failed = piece.error();
      return piece;
    }
    drained = piece->empty();
    given += piece->size();
    const std::size_t tail = piece->size() - (piece->find_last_not_of('\0') + 1);
    zeros = tail == piece->size() ? zeros + tail : tail;
    return piece;
  }

  Error fault() const {
    if (!failed) return failed.error();
    const char* why = archive_error_string(read.get());
    return {Code::error, cat("the tar archive cannot be read: ",
                             why == nullptr ? "it is damaged" : printable_line(why))};
  }

  // Zeros may follow the end, up to a whole record. Without them the archive was cut.
  Status finish() {
    while (!drained) TRY(pull());
    if (zeros >= 2 * k_block && given % k_block == 0) return {};
    return Error{Code::error, "the tar archive is truncated"};
  }
};

TarReader::TarReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TarReader::TarReader(TarReader&&) noexcept = default;
TarReader& TarReader::operator=(TarReader&&) noexcept = default;
TarReader::~TarReader() = default;

Result<TarReader> TarReader::open(Source source) {
  auto state = std::make_unique<State>();
  state->source = std::move(source);
  state->read.reset(archive_read_new());
  archive* read = state->read.get();
  archive_read_support_format_tar(read);
  archive_read_set_options(read, "hdrcharset=BINARY");
  if (archive_read_open(read, state.get(), nullptr, State::give, nullptr) != ARCHIVE_OK) {
    return state->fault();
  }
  return TarReader(std::move(state));
}

Result<std::optional<TarItem>> TarReader::next() {
  archive_entry* entry = nullptr;
  const int outcome = archive_read_next_header(state_->read.get(), &entry);
  if (outcome == ARCHIVE_EOF) {
    TRY(state_->finish());
    return std::optional<TarItem>();
  }
  if (outcome < ARCHIVE_WARN) return state_->fault();
  state_->at = 0;
  const auto mode = static_cast<unsigned>(archive_entry_perm(entry)) & ALLPERMS;
  TarItem item{path_of(entry), content_of(entry), mode, archive_entry_mtime(entry)};
  const auto* file = std::get_if<TarFile>(&item.what);
  state_->size = file == nullptr ? 0 : file->size;
  return std::optional<TarItem>(std::move(item));
}

Result<std::string_view> TarReader::read() {
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t at = 0;
  while (size == 0) {
    const int outcome = archive_read_data_block(state_->read.get(), &bytes, &size, &at);
    if (outcome == ARCHIVE_EOF) return std::string_view();
    if (outcome < ARCHIVE_WARN) return state_->fault();
  }
  if (static_cast<std::uint64_t>(at) != state_->at) {
    return Error{Code::error, "the tar archive has holes in a file"};
  }
  // libarchive may give more than it has announced.
  if (size > state_->size - state_->at) {
    return Error{Code::error, "a file in the tar archive has more bytes than its header says"};
  }
  state_->at += size;
  return std::string_view(static_cast<const char*>(bytes), size);
}

}  // namespace trainctl
