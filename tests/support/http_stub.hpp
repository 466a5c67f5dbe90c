#pragma once
// SPDX-License-Identifier: Apache-2.0
// An HTTP server that misbehaves on request: each test says byte for byte what is answered. Runs on
// the test's own Asio loop, on a free loopback port.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ba {

/// One accepted connection. Writes happen in order; close() after those before it.
class HttpStubConnection : public std::enable_shared_from_this<HttpStubConnection> {
 public:
  explicit HttpStubConnection(boost::asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

  void send(std::string bytes);
  void send_bytewise(const std::string& bytes);  ///< each byte by itself
  void close();                                  ///< with FIN
  void reset();                                  ///< with RST, at once

  /// A whole answer with the right length.
  void answer(int status, const std::string& body, const std::string& headers = "",
              const std::string& type = "application/json");

 private:
  friend class HttpStub;
  void write_next();

  boost::asio::ip::tcp::socket socket_;
  std::deque<std::string> writes_;
  bool writing_ = false;
  bool closing_ = false;
};

class HttpStub {
 public:
  struct Request {
    std::string head;
    std::string body;
    int connection = 0;  ///< number of its connection, from 1
  };

  explicit HttpStub(boost::asio::io_context& io);

  std::string url() const;
  int open_connections() const { return opened_ - closed_; }
  int opened_connections() const { return opened_; }

  /// What to do with each request. Default: nothing, so that no answer ever comes.
  std::function<void(HttpStubConnection&, const Request&)> on_request;
  std::vector<Request> requests;  ///< all of them, in order

 private:
  struct Session;
  void accept();
  void read(const std::shared_ptr<Session>& session);
  bool take_request(Session& session);

  boost::asio::ip::tcp::acceptor acceptor_;
  int opened_ = 0;
  int closed_ = 0;
};

}  // namespace ba
