// Copies to a container in two ways: a file, or the content of a directory.
#pragma once

#include <string>

#include "base/file/tar.h"
#include "work/copy/copy.h"

namespace trainctl::work {

// `facts`: the object at the destination. `local` is an absolute path.
struct Sending {
  std::string local;
  std::string to;
  RemoteFacts facts;
  bool verify = true;
};

// A file gets its name there when it is complete; a failed copy leaves nothing.
Status send_file(Copying& copying, const Sending& sending, const TarEntry& source);
// Sends the content into the directory `to`, which is created if it is missing.
Status send_directory(Copying& copying, const Sending& sending);

}  // namespace trainctl::work
