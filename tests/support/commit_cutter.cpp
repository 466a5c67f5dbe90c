// SPDX-License-Identifier: Apache-2.0
#include "tests/support/commit_cutter.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace ba {
namespace {

/// As it ends a simple query; "READ COMMITTED" is none.
constexpr std::string_view kCommit{"COMMIT\0", 7};

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() { ::close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

int connected(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return -1;
  const int descriptor = ::socket(found->ai_family, SOCK_STREAM, 0);
  const bool good = ::connect(descriptor, found->ai_addr, found->ai_addrlen) == 0;
  ::freeaddrinfo(found);
  if (good) return descriptor;
  ::close(descriptor);
  return -1;
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

CommitCutter::CommitCutter(std::string host, int port)
    : host_(std::move(host)), server_port_(port), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (::bind(listener_, any, size) != 0 || ::listen(listener_, 8) != 0 ||
      ::getsockname(listener_, any, &size) != 0 || ::pipe(stop_) != 0)
    throw std::runtime_error("the commit cutter can't listen");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

CommitCutter::~CommitCutter() {
  ::close(stop_[1]);
  thread_.join();
  ::close(stop_[0]);
  ::close(listener_);
}

/// One connection at a time.
void CommitCutter::serve() {
  while (true) {
    std::array<pollfd, 2> watched{{{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), -1);
    if (watched[1].revents != 0) return;
    const Socket client(::accept(listener_, nullptr, nullptr));
    if (client.get() >= 0) relay(client.get());
  }
}

void CommitCutter::relay(int client) {
  const Socket server(connected(host_, server_port_));
  std::array<char, 65536> buffer;
  bool committing = false;
  while (server.get() >= 0) {
    std::array<pollfd, 3> watched{
        {{client, POLLIN, 0}, {server.get(), POLLIN, 0}, {stop_[0], POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), -1);
    if (watched[2].revents != 0) return;
    const bool from_client = watched[0].revents != 0;
    const ssize_t size =
        ::recv(from_client ? client : server.get(), buffer.data(), buffer.size(), 0);
    if (size <= 0) return;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
    if (!from_client && committing) return;  // the answer: nobody hears it
    if (from_client && !std::exchange(cut_, cut_ || bytes.find(kCommit) != bytes.npos))
      committing = cut_;
    if (!send_all(from_client ? server.get() : client, bytes)) return;
  }
}

}  // namespace ba
