// SQLite's modules that trainctl does not use, in a static program. SQLite names them in a table,
// so the linker would take them from the library (300 KB) if they were not here.

struct sqlite3;

extern "C" {
int sqlite3Fts3Init(sqlite3*);
int sqlite3Fts5Init(sqlite3*);
int sqlite3RtreeInit(sqlite3*);
int sqlite3StmtVtabInit(sqlite3*);

int sqlite3Fts3Init(sqlite3* /*database*/) {
  return 0;
}
int sqlite3Fts5Init(sqlite3* /*database*/) {
  return 0;
}
int sqlite3RtreeInit(sqlite3* /*database*/) {
  return 0;
}
int sqlite3StmtVtabInit(sqlite3* /*database*/) {
  return 0;
}
}
