#pragma once
// SPDX-License-Identifier: Apache-2.0
// Carries TCP connections on 127.0.0.1 to a server, and holds back each piece of either direction
// for a time, as a longer wire would. Each piece has its whole delay, however many are under way:
// so it takes time from a round trip and nothing from the rate. One thread.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

namespace ba::wire {

class Pipe;

class DelayedWire {
 public:
  using Tcp = boost::asio::ip::tcp;

  /// Listens at a free port; run by `io`. `delay`: of each direction.
  DelayedWire(boost::asio::io_context& io, Tcp::endpoint server, std::chrono::microseconds delay);

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  friend class Pipe;

  /// What arrived of a pipe, and when it goes on. Empty: its end.
  struct Piece {
    std::chrono::steady_clock::time_point due;
    std::shared_ptr<Pipe> pipe;
    std::string bytes;
  };

  void accept();
  void connect(const std::shared_ptr<Tcp::socket>& client);
  void hold(std::shared_ptr<Pipe> pipe, std::string bytes);
  void wait();
  void let_go();

  boost::asio::io_context& io_;
  const Tcp::endpoint server_;
  const std::chrono::microseconds delay_;
  Tcp::acceptor acceptor_;
  boost::asio::steady_timer timer_;
  std::deque<Piece> held_;  ///< by their time, as all are held for as long
};

}  // namespace ba::wire
