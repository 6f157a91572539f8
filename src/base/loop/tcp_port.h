// Ports of this machine that other programs connect to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace trainctl {

// A connection or a listening port; closed with the object. Nothing here waits.
class TcpSocket {
 public:
  explicit TcpSocket(int fd = -1) : fd_(fd) {}
  ~TcpSocket();
  TcpSocket(TcpSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  TcpSocket& operator=(TcpSocket&& other) noexcept;
  TcpSocket(const TcpSocket&) = delete;
  TcpSocket& operator=(const TcpSocket&) = delete;

  int fd() const { return fd_; }
  // The number of a listening port.
  int port() const;
  // The next program that has connected; nullopt when none has.
  std::optional<TcpSocket> accept() const;

  // Returns the bytes that have arrived: nullopt = none now, "" = the other side sends no more.
  // Code::unreachable when the connection is broken.
  Result<std::optional<std::string>> read() const;
  // Sends what is accepted now, and returns how much that was.
  Result<std::size_t> write(std::string_view bytes) const;

 private:
  int fd_;
};

// True if connections to 127.0.0.1 or ::1 reach a program that listens on this address.
bool includes_loopback(const std::string& address);
// True for 0.0.0.0 and ::, which stand for every address of this machine.
bool is_any_address(const std::string& address);

// Listens on an address of this machine, such as "127.0.0.1" or "::1"; port 0 = any free one.
// Code::refused when the port is taken, Code::usage for an address that is not this machine's.
Result<TcpSocket> listen_on(const std::string& address, int port);

}  // namespace trainctl
