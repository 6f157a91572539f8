// Passes the words of an order in a file of memory, so that one message holds all of it.
#include "local/kubelet/exec_order.h"

#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/text/text.h"

namespace trainctl::local {
namespace {

constexpr std::size_t k_most_streams = 3;
constexpr off_t k_longest_order = off_t{4} << 20;
constexpr int k_order_wait = 1000;  // milliseconds until an order must follow its connection

sockaddr_un address_in(int directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = cat("/proc/self/fd/", directory, "/", k_door_file);
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

Descriptor open_directory(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Descriptor new_socket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

Descriptor file_with(const ExecOrder& order) {
  std::string text = order.terminal ? "t" : "p";
  for (const std::string& word : order.argv) (text += word) += '\0';
  Descriptor file(::memfd_create("trainctl-order", MFD_CLOEXEC));
  const bool whole =
      file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return whole ? std::move(file) : Descriptor();
}

std::optional<ExecOrder> order_in(int file) {
  struct stat info {};
  if (::fstat(file, &info) != 0 || info.st_size < 1 || info.st_size > k_longest_order) {
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  if (::pread(file, text.data(), text.size(), 0) != info.st_size) return std::nullopt;
  ExecOrder order;
  order.terminal = text[0] == 't';
  order.argv = split(std::string_view(text).substr(1), '\0');
  order.argv.pop_back();  // behind the last word's end
  return order;
}

// A message of one byte with room for descriptors.
struct Passing {
  alignas(cmsghdr) char control[CMSG_SPACE((k_most_streams + 1) * sizeof(int))] = {};
  char byte = 0;
  iovec data{&byte, 1};
  msghdr message{};

  Passing() {
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;
};

}  // namespace

Descriptor open_door(const std::string& directory) {
  const Descriptor where = open_directory(directory);
  const sockaddr_un address = address_in(where.get());
  Descriptor door = new_socket();
  const auto* place = reinterpret_cast<const sockaddr*>(&address);
  const bool open = where && door && ::bind(door.get(), place, sizeof address) == 0 &&
                    ::listen(door.get(), SOMAXCONN) == 0;
  return open ? std::move(door) : Descriptor();
}

Descriptor send_order(const std::string& directory, const ExecOrder& order,
                      std::span<const int> streams) {
  const Descriptor where = open_directory(directory);
  const sockaddr_un address = address_in(where.get());
  Descriptor connection = new_socket();
  const Descriptor file = file_with(order);
  const auto* place = reinterpret_cast<const sockaddr*>(&address);
  if (!where || !connection || !file || ::connect(connection.get(), place, sizeof address) != 0) {
    return Descriptor();
  }
  std::vector<int> passed = {file.get()};
  passed.insert(passed.end(), streams.begin(), streams.end());
  Passing passing;
  passing.message.msg_controllen = CMSG_SPACE(passed.size() * sizeof(int));
  cmsghdr* head = CMSG_FIRSTHDR(&passing.message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(passed.size() * sizeof(int));
  std::memcpy(CMSG_DATA(head), passed.data(), passed.size() * sizeof(int));
  if (::sendmsg(connection.get(), &passing.message, MSG_NOSIGNAL) != 1) return Descriptor();
  return connection;
}

std::optional<ReceivedOrder> receive_order(int connection) {
  pollfd waiting{connection, POLLIN, 0};
  if (::poll(&waiting, 1, k_order_wait) != 1) return std::nullopt;
  Passing passing;
  if (::recvmsg(connection, &passing.message, MSG_CMSG_CLOEXEC) != 1) return std::nullopt;
  std::vector<Descriptor> passed;
  for (cmsghdr* head = CMSG_FIRSTHDR(&passing.message); head != nullptr;
       head = CMSG_NXTHDR(&passing.message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof fd);
      passed.emplace_back(fd);
    }
  }
  if (passed.empty()) return std::nullopt;
  auto order = order_in(passed.front().get());
  if (!order) return std::nullopt;
  passed.erase(passed.begin());
  const std::size_t wanted = order->argv.empty() ? 0 : order->terminal ? 1 : k_most_streams;
  if (passed.size() != wanted) return std::nullopt;
  return ReceivedOrder{*std::move(order), std::move(passed)};
}

}  // namespace trainctl::local
