// SPDX-License-Identifier: Apache-2.0
#include "tests/delayed_wire/delayed_wire.hpp"

#include <array>
#include <boost/asio/write.hpp>
#include <utility>

namespace ba::wire {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

/// One direction of a connection.
class Pipe : public std::enable_shared_from_this<Pipe> {
 public:
  using Socket = DelayedWire::Tcp::socket;

  Pipe(DelayedWire& wire, std::shared_ptr<Socket> from, std::shared_ptr<Socket> to)
      : wire_(wire), from_(std::move(from)), to_(std::move(to)) {}

  void read() {
    from_->async_read_some(asio::buffer(buffer_),
                           [self = shared_from_this()](const ErrorCode& error, std::size_t size) {
                             self->wire_.hold(self, std::string(self->buffer_.data(), size));
                             if (!error) self->read();
                           });
  }

  /// Empty: no more comes.
  void pass_on(std::string bytes) {
    ended_ = ended_ || bytes.empty();
    outbox_ += bytes;
    if (writing_.empty()) write();
  }

 private:
  void write() {
    writing_ = std::exchange(outbox_, {});
    if (writing_.empty()) {
      ErrorCode ignored;
      if (ended_) to_->shutdown(Socket::shutdown_send, ignored);
      return;
    }
    asio::async_write(*to_, asio::buffer(writing_),
                      [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                        if (error) return self->from_->close();
                        self->writing_.clear();
                        self->write();
                      });
  }

  DelayedWire& wire_;
  std::shared_ptr<Socket> from_;
  std::shared_ptr<Socket> to_;
  std::array<char, 64U << 10> buffer_{};
  std::string outbox_;
  std::string writing_;
  bool ended_ = false;
};

DelayedWire::DelayedWire(asio::io_context& io, Tcp::endpoint server,
                         std::chrono::microseconds delay)
    : io_(io),
      server_(std::move(server)),
      delay_(delay),
      acceptor_(io, Tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
      timer_(io) {
  accept();
}

void DelayedWire::accept() {
  auto client = std::make_shared<Tcp::socket>(io_);
  acceptor_.async_accept(*client, [this, client](const ErrorCode& error) {
    if (!error) connect(client);
    accept();
  });
}

void DelayedWire::connect(const std::shared_ptr<Tcp::socket>& client) {
  auto server = std::make_shared<Tcp::socket>(io_);
  server->async_connect(server_, [this, client, server](const ErrorCode& error) {
    if (error) return;
    client->set_option(Tcp::no_delay(true));
    server->set_option(Tcp::no_delay(true));
    std::make_shared<Pipe>(*this, client, server)->read();
    std::make_shared<Pipe>(*this, server, client)->read();
  });
}

void DelayedWire::hold(std::shared_ptr<Pipe> pipe, std::string bytes) {
  held_.push_back({std::chrono::steady_clock::now() + delay_, std::move(pipe), std::move(bytes)});
  if (held_.size() == 1) wait();
}

void DelayedWire::wait() {
  timer_.expires_at(held_.front().due);
  timer_.async_wait([this](const ErrorCode&) { let_go(); });
}

void DelayedWire::let_go() {
  const auto now = std::chrono::steady_clock::now();
  while (!held_.empty() && held_.front().due <= now) {
    held_.front().pipe->pass_on(std::move(held_.front().bytes));
    held_.pop_front();
  }
  if (!held_.empty()) wait();
}

}  // namespace ba::wire
