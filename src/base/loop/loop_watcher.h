// Shared by the event loop and its children: libuv handles whose owner may be destroyed at any
// moment.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <uv.h>

#include "base/loop/loop.h"

namespace trainctl {

// A libuv handle inside the object it belongs to. libuv refers to it until the close callback,
// which comes on a later turn; so `keeper` holds the whole object until then, and with it the
// callable that may just have destroyed its own Handle.
struct Watcher {
  uv_any_handle uv{};
  void* owner = nullptr;
  std::shared_ptr<void> keeper;

  template <typename Owner>
  void opened(const std::shared_ptr<Owner>& by) {
    uv.handle.data = this;
    owner = by.get();
    keeper = by;
  }
  void close() {
    if (!keeper || uv_is_closing(&uv.handle)) return;
    uv_close(&uv.handle, [](uv_handle_t* handle) {
      const auto last = std::move(static_cast<Watcher*>(handle->data)->keeper);
    });
  }
};

template <typename Owner, typename UvHandle>
Owner& owner_of(UvHandle* handle) {
  return *static_cast<Owner*>(static_cast<Watcher*>(handle->data)->owner);
}

struct Callback {
  Watcher watcher;
  std::function<void()> call;
};

struct FdCallback {
  Watcher watcher;
  std::function<void(bool, bool)> call;
};

template <typename Owner>
class WatcherHandle : public Handle {
 public:
  explicit WatcherHandle(std::shared_ptr<Owner> owner) : owner_(std::move(owner)) {}
  ~WatcherHandle() override { owner_->watcher.close(); }

 private:
  std::shared_ptr<Owner> owner_;
};

struct UvLoop::State {
  uv_loop_t loop{};
  Time boot{};  // start of the machine, by its clock when the loop was created
};

// Starts a child as Loop::spawn describes, with the strings of `spec`; an error is returned and not
// reported to `done`.
Result<HandlePtr> start_child(uv_loop_t& loop, ChildSpec& spec,
                              std::function<void(Result<ChildExit>)> done);

// Ends all children, so that none outlives the loop: SIGTERM, a moment to obey it, then SIGKILL.
void end_children(uv_loop_t& loop);

}  // namespace trainctl
