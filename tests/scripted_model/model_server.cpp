// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/model_server.hpp"

#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "tests/scripted_model/http_session.hpp"

namespace ba::scripted {

namespace asio = boost::asio;
using boost::system::error_code;

struct Server::State {
  explicit State(Service& to_serve) : service(to_serve) {}

  void accept() {
    acceptor.async_accept([this](const error_code& error, asio::ip::tcp::socket socket) {
      if (!error) start_session(std::move(socket), service);
      if (acceptor.is_open()) accept();
    });
  }

  void read_stdin() {
    input.async_read_some(asio::buffer(discarded), [this](const error_code& error, std::size_t) {
      if (error) {
        context.stop();
      } else {
        read_stdin();
      }
    });
  }

  Service& service;
  asio::io_context context{1};
  asio::ip::tcp::acceptor acceptor{context};
  asio::signal_set signals{context};
  asio::posix::stream_descriptor input{context};
  std::array<char, 256> discarded{};
};

Server::Server(Service& service) : state_(std::make_unique<State>(service)) {}
Server::~Server() = default;

Result<std::uint16_t> Server::listen(std::uint16_t port) {
  const asio::ip::tcp::endpoint wanted(asio::ip::address_v4::loopback(), port);
  error_code error;
  asio::ip::tcp::acceptor& acceptor = state_->acceptor;
  acceptor.open(wanted.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(wanted, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return invalid_argument("cannot listen on 127.0.0.1:" + std::to_string(port) + ": " +
                            error.message());
  }
  state_->accept();
  return acceptor.local_endpoint().port();
}

void Server::stop_on_signals() {
  state_->signals.add(SIGTERM);
  state_->signals.add(SIGINT);
  state_->signals.async_wait([this](const error_code&, int) { state_->context.stop(); });
}

void Server::stop_when_stdin_closes() {
  state_->input.assign(::dup(STDIN_FILENO));
  state_->read_stdin();
}

void Server::run() { state_->context.run(); }

void Server::stop() { state_->context.stop(); }

}  // namespace ba::scripted
