// Uses SQLite in WAL mode: a commit survives the death of this process at any moment.
#include "local/store/database.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/text/text.h"

namespace trainctl::local {

namespace {

constexpr std::int64_t k_layout = 1;  // PRAGMA user_version
// 1 MiB of free pages; they must also be half of the file.
constexpr std::int64_t k_pages_worth_it = 256;

// The journal takes at most 1 MiB and some pages; the rest of the reserve is for pages of the file
// itself.
constexpr off_t k_reserve = off_t{2} << 20;

// NORMAL: no fsync per commit. A power cut may lose the last changes, never the order of them.
constexpr const char* k_settings =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "PRAGMA cache_size=-256;"
    "PRAGMA wal_autocheckpoint=256;"
    "PRAGMA temp_store=MEMORY;";

constexpr const char* k_tables =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS objects("
    "resource TEXT NOT NULL, key TEXT NOT NULL, object TEXT NOT NULL, PRIMARY KEY(resource, key));"
    "CREATE TABLE IF NOT EXISTS version(id INTEGER PRIMARY KEY CHECK(id = 1), value INTEGER);"
    "INSERT OR IGNORE INTO version VALUES(1, 1);"
    "PRAGMA user_version=1;"
    "COMMIT;";

Status make_private_file(const std::string& path) {
  if (path == ":memory:") return {};
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return Error{Code::error, cat("cannot open ", path, ": ", std::strerror(errno)), ""};
  ::close(fd);
  return {};
}

void bind_text(sqlite3_stmt* statement, int index, std::string_view text) {
  sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

std::string column(sqlite3_stmt* statement, int index) {
  const void* bytes = sqlite3_column_blob(statement, index);
  const int size = sqlite3_column_bytes(statement, index);
  return bytes == nullptr ? std::string()
                          : std::string(static_cast<const char*>(bytes), std::size_t(size));
}

}  // namespace

Database::Database(std::string path, sqlite3* connection)
    : path_(std::move(path)),
      reserve_(path_ == ":memory:" ? "" : cat(path_, ".reserve"), k_reserve),
      connection_(connection) {}

Database::~Database() {
  put_.reset();
  erase_.reset();
  version_.reset();
  sqlite3_close(connection_);
}

void Database::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

bool Database::is_full() const {
  const int code = sqlite3_errcode(connection_) & 0xff;
  return code == SQLITE_FULL ||
         (code == SQLITE_IOERR && sqlite3_system_errno(connection_) == ENOSPC);
}

Error Database::failure() {
  disk_was_full_ = is_full();
  if (disk_was_full_) {
    return {Code::error, disk_is_full(path_), "make room there, and try again"};
  }
  const int system = sqlite3_system_errno(connection_);
  const std::string why = system != 0 ? cat(" (", std::strerror(system), ')') : std::string();
  return {Code::error, cat(path_, ": ", sqlite3_errmsg(connection_), why), ""};
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path) {
  TRY(make_private_file(path));
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  std::unique_ptr<Database> database(new Database(path, connection));
  if (code != SQLITE_OK) return database->failure();
  sqlite3_busy_timeout(connection, 2000);
  Status ready = database->prepare();
  if (!ready && database->disk_was_full_ && database->reserve_.release()) {
    database->roll_back();
    ready = database->prepare();
  }
  TRY(std::move(ready));
  return database;
}

Status Database::prepare() {
  TRY(execute(k_settings));
  TRY_ASSIGN(const std::int64_t layout, number("PRAGMA user_version"));
  if (layout > k_layout) {
    return Error{Code::error, cat(path_, " was written by a newer trainctl"),
                 "use that version, or remove the file to start with an empty cluster"};
  }
  TRY(execute(k_tables));
  TRY(reclaim());
  TRY_ASSIGN(put_, prepared("INSERT OR REPLACE INTO objects VALUES(?1, ?2, ?3)"));
  TRY_ASSIGN(erase_, prepared("DELETE FROM objects WHERE resource = ?1 AND key = ?2"));
  TRY_ASSIGN(version_, prepared("UPDATE version SET value = ?1"));
  return {};
}

// Frees the space of deleted objects when it is most of the file, and empties the journal.
Status Database::reclaim() {
  TRY_ASSIGN(const std::int64_t free, number("PRAGMA freelist_count"));
  TRY_ASSIGN(const std::int64_t all, number("PRAGMA page_count"));
  if (free >= k_pages_worth_it && free * 2 > all) TRY(execute("VACUUM"));
  return execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

Status Database::execute(const char* statement) {
  if (sqlite3_exec(connection_, statement, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return failure();
}

Result<Database::Statement> Database::prepared(const char* text) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(connection_, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return failure();
  return Statement(statement);
}

Result<std::int64_t> Database::number(const char* query) {
  TRY_ASSIGN(const Statement statement, prepared(query));
  if (sqlite3_step(statement.get()) != SQLITE_ROW) return failure();
  return sqlite3_column_int64(statement.get(), 0);
}

Result<std::int64_t> Database::load(const std::function<Status(const StoredRow&)>& take) {
  TRY_ASSIGN(const Statement rows, prepared("SELECT resource, key, object FROM objects"));
  int code = sqlite3_step(rows.get());
  for (; code == SQLITE_ROW; code = sqlite3_step(rows.get())) {
    TRY(take({column(rows.get(), 0), column(rows.get(), 1), column(rows.get(), 2)}));
  }
  if (code != SQLITE_DONE) return failure();
  return number("SELECT value FROM version");
}

Status Database::step(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement);
    return {};
  }
  Error error = failure();
  sqlite3_reset(statement);
  return error;
}

// A full disk may have rolled back already.
void Database::roll_back() {
  if (sqlite3_get_autocommit(connection_) == 0) (void)execute("ROLLBACK");
}

Status Database::transact(sqlite3_stmt* statement, std::int64_t version) {
  const auto write = [&]() -> Status {
    TRY(execute("BEGIN IMMEDIATE"));
    TRY(step(statement));
    sqlite3_bind_int64(version_.get(), 1, version);
    TRY(step(version_.get()));
    return execute("COMMIT");
  };
  Status written = write();
  const bool was_full = disk_was_full_;
  if (!written) roll_back();
  disk_was_full_ = was_full;
  return written;
}

Status Database::change(sqlite3_stmt* statement, std::int64_t version, OnFullDisk on_full) {
  reserve_.hold();
  disk_was_full_ = false;
  Status written = transact(statement, version);
  if (!written && disk_was_full_ && on_full == OnFullDisk::use_reserve && reserve_.release()) {
    written = transact(statement, version);
  }
  sqlite3_clear_bindings(statement);
  return written;
}

Status Database::put(const StoredRow& row, std::int64_t version, OnFullDisk on_full) {
  bind_text(put_.get(), 1, row.resource);
  bind_text(put_.get(), 2, row.key);
  bind_text(put_.get(), 3, row.object);
  return change(put_.get(), version, on_full);
}

void Database::rest() {
  sqlite3_db_release_memory(connection_);
}

Status Database::erase(std::string_view resource, std::string_view key, std::int64_t version) {
  bind_text(erase_.get(), 1, resource);
  bind_text(erase_.get(), 2, key);
  return change(erase_.get(), version, OnFullDisk::use_reserve);
}

}  // namespace trainctl::local
