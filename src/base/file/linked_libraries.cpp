// Takes the place of system_libraries.cpp in a static program. There the machine's configuration
// could name modules of another OpenSSL, and getpwuid would load the name services of this
// machine's C library, and end with a signal when that is a newer one than ours.
#include <cstdio>
#include <memory>

#include <openssl/crypto.h>
#include <pwd.h>
#include <unistd.h>

#include "base/file/system_libraries.h"

namespace trainctl {

void start_crypto() {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
}

std::string login_name() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen("/etc/passwd", "re"), [](std::FILE* open) { return std::fclose(open); });
  while (file != nullptr) {
    const passwd* user = ::fgetpwent(file.get());
    if (user == nullptr) break;
    if (user->pw_uid == ::geteuid()) return user->pw_name;
  }
  return "";
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
