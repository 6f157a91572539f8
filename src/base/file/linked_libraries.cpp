// Takes the place of system_libraries.cpp in a static program. There the machine's configuration
// could name modules of another OpenSSL.
#include <openssl/crypto.h>

#include "base/file/system_libraries.h"

namespace trainctl {

void start_crypto() {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
}

}  // namespace trainctl

// SQLite's modules that trainctl does not use. SQLite names them in a table, so the linker would
// take them from the library (300 KB) if they were not here.
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
