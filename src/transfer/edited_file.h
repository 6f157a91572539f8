// A file that was edited in a container, beside the one of that name here.
#pragma once

#include <string>

#include "work/access.h"
#include "work/code/pack.h"

namespace trainctl::work {

struct EditedFile {
  Access& access;
  const SentCode& sent;
  const std::string& path;    // below the directory of the code
  const std::string& digest;  // in the container

  // True if the file of this name on this machine has the same content.
  bool is_here() const { return is_at(path); }
  bool is_at(const std::string& name) const;
  // True if writing it under its own name loses nothing: the file here is as it was sent, or is
  // missing.
  bool may_be_written() const;
  bool is_free(const std::string& name) const;
};

}  // namespace trainctl::work
