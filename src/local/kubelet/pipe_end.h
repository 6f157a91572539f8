// One end of a pipe, a terminal or a connection, read and written when the loop finds it ready.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/file/descriptor.h"
#include "base/loop/loop.h"

namespace trainctl::local {

// It must not be destroyed inside its own callbacks.
class PipeEnd {
 public:
  struct Handlers {
    std::function<void(std::string_view)> on_bytes = {};  // null = nothing is read
    std::function<void()> on_end = {};                    // nothing more will be read
    std::function<void()> on_drained = {};  // everything was written, or nobody reads it any more
  };
  PipeEnd(UvLoop& loop, Descriptor fd, Handlers handlers);

  int fd() const { return fd_.get(); }
  // Bytes that the pipe does not take at once wait.
  void write(std::string_view bytes);
  // Closes the descriptor once everything is written.
  void end_writing();
  std::size_t waiting() const { return output_.size() - written_; }
  // While paused, nothing is read.
  void pause(bool paused);

 private:
  void watch();
  void read();
  bool write_some();

  UvLoop& loop_;
  Descriptor fd_;
  Handlers handlers_;
  std::string output_;
  std::size_t written_ = 0;  // of output_
  bool paused_ = false;
  bool ended_ = false;   // nothing more is read
  bool ending_ = false;  // to be closed when everything is written
  int watched_ = 0;      // what the present watch is for
  HandlePtr watch_;
};

}  // namespace trainctl::local
