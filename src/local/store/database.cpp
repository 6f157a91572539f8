// Uses SQLite in WAL mode: a commit survives the death of this process at any moment.
#include "local/store/database.h"

#include "base/text/text.h"

namespace trainctl::local {

namespace {

constexpr Duration k_lock_wait = std::chrono::seconds(2);
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

}  // namespace

Database::Database(std::string path, std::unique_ptr<Sqlite> file)
    : path_(std::move(path)),
      reserve_(path_ == ":memory:" ? "" : cat(path_, ".reserve"), k_reserve),
      file_(std::move(file)) {}

Status Database::explained(Status status) const {
  if (status || !file_->disk_was_full()) return status;
  return Error{Code::error, disk_is_full(path_), "make room there, and try again"};
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path) {
  TRY_ASSIGN(auto file, Sqlite::open(path, k_lock_wait));
  std::unique_ptr<Database> database(new Database(path, std::move(file)));
  Status ready = database->prepare();
  if (!ready && database->file_->disk_was_full() && database->reserve_.release()) {
    database->roll_back();
    ready = database->prepare();
  }
  TRY(database->explained(std::move(ready)));
  return database;
}

Status Database::prepare() {
  TRY(file_->execute(k_settings));
  TRY_ASSIGN(const std::int64_t layout, file_->number("PRAGMA user_version"));
  if (layout > k_layout) {
    return Error{Code::error, cat(path_, " was written by a newer trainctl"),
                 "use that version, or remove the file to start with an empty cluster"};
  }
  TRY(file_->execute(k_tables));
  TRY(reclaim());
  TRY_ASSIGN(put_, file_->prepared("INSERT OR REPLACE INTO objects VALUES(?1, ?2, ?3)"));
  TRY_ASSIGN(erase_, file_->prepared("DELETE FROM objects WHERE resource = ?1 AND key = ?2"));
  TRY_ASSIGN(version_, file_->prepared("UPDATE version SET value = ?1"));
  return {};
}

// Frees the space of deleted objects when it is most of the file, and empties the journal.
Status Database::reclaim() {
  TRY_ASSIGN(const std::int64_t free, file_->number("PRAGMA freelist_count"));
  TRY_ASSIGN(const std::int64_t all, file_->number("PRAGMA page_count"));
  if (free >= k_pages_worth_it && free * 2 > all) TRY(file_->execute("VACUUM"));
  return file_->execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

Result<std::int64_t> Database::load(const std::function<Status(const StoredRow&)>& take) {
  TRY_ASSIGN(SqliteStatement rows, file_->prepared("SELECT resource, key, object FROM objects"));
  for (;;) {
    TRY_ASSIGN(const bool is_row, file_->step(rows));
    if (!is_row) return file_->number("SELECT value FROM version");
    TRY(take({rows.text(0), rows.text(1), rows.text(2)}));
  }
}

// A full disk may have rolled back already.
void Database::roll_back() {
  if (file_->is_in_transaction()) (void)file_->execute("ROLLBACK");
}

Status Database::transact(SqliteStatement& statement, std::int64_t version) {
  file_->forget_full_disk();
  const auto write = [&]() -> Status {
    TRY(file_->execute("BEGIN IMMEDIATE"));
    TRY(file_->run(statement));
    version_.bind(1, version);
    TRY(file_->run(version_));
    return file_->execute("COMMIT");
  };
  // The failure of a roll-back must not hide why there was one.
  Status written = explained(write());
  was_full_ = file_->disk_was_full();
  if (!written) roll_back();
  return written;
}

Status Database::change(SqliteStatement& statement, std::int64_t version, OnFullDisk on_full) {
  reserve_.hold();
  Status written = transact(statement, version);
  if (!written && was_full_ && on_full == OnFullDisk::use_reserve && reserve_.release()) {
    written = transact(statement, version);
  }
  statement.clear();
  return written;
}

Status Database::put(const StoredRow& row, std::int64_t version, OnFullDisk on_full) {
  put_.bind(1, row.resource);
  put_.bind(2, row.key);
  put_.bind(3, row.object);
  return change(put_, version, on_full);
}

void Database::rest() {
  file_->rest();
}

Status Database::erase(std::string_view resource, std::string_view key, std::int64_t version) {
  erase_.bind(1, resource);
  erase_.bind(2, key);
  return change(erase_, version, OnFullDisk::use_reserve);
}

}  // namespace trainctl::local
