// SPDX-License-Identifier: Apache-2.0
#include "tests/support/http_stub.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace ba {

using boost::asio::ip::tcp;
using boost::system::error_code;

void HttpStubConnection::send(std::string bytes) {
  writes_.push_back(std::move(bytes));
  write_next();
}

void HttpStubConnection::send_bytewise(const std::string& bytes) {
  for (const char byte : bytes) writes_.emplace_back(1, byte);
  write_next();
}

void HttpStubConnection::close() {
  closing_ = true;
  write_next();
}

void HttpStubConnection::reset() {
  error_code ignored;
  socket_.set_option(boost::asio::socket_base::linger(true, 0), ignored);
  socket_.close(ignored);
}

void HttpStubConnection::answer(int status, const std::string& body, const std::string& headers,
                                const std::string& type) {
  send("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: " + type + "\r\n" + headers +
       "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

void HttpStubConnection::write_next() {
  if (writing_) return;
  if (writes_.empty()) {
    error_code ignored;
    if (closing_) socket_.shutdown(tcp::socket::shutdown_both, ignored);
    return;
  }
  writing_ = true;
  boost::asio::async_write(socket_, boost::asio::buffer(writes_.front()),
                           [self = shared_from_this()](const error_code& error, std::size_t) {
                             self->writing_ = false;
                             if (error) return;
                             self->writes_.pop_front();
                             self->write_next();
                           });
}

struct HttpStub::Session {
  std::shared_ptr<HttpStubConnection> connection;
  int number = 0;
  std::string received;
  std::array<char, 16384> buffer;
};

HttpStub::HttpStub(boost::asio::io_context& io)
    : acceptor_(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)) {
  accept();
}

std::string HttpStub::url() const {
  return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

void HttpStub::accept() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error) return;
    socket.set_option(tcp::no_delay(true));
    auto session = std::make_shared<Session>();
    session->connection = std::make_shared<HttpStubConnection>(std::move(socket));
    session->number = ++opened_;
    read(session);
    accept();
  });
}

void HttpStub::read(const std::shared_ptr<Session>& session) {
  session->connection->socket_.async_read_some(
      boost::asio::buffer(session->buffer),
      [this, session](const error_code& error, std::size_t count) {
        if (error) {
          error_code ignored;
          session->connection->socket_.close(ignored);
          ++closed_;
          return;
        }
        session->received.append(session->buffer.data(), count);
        while (take_request(*session)) {
        }
        read(session);
      });
}

bool HttpStub::take_request(Session& session) {
  const std::string& bytes = session.received;
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  const std::size_t length_at = bytes.find("Content-Length: ");
  const std::size_t length =
      length_at < end ? std::stoul(bytes.substr(length_at + 16)) : std::size_t{0};
  if (bytes.size() < end + 4 + length) return false;
  requests.push_back({bytes.substr(0, end), bytes.substr(end + 4, length), session.number});
  session.received.erase(0, end + 4 + length);
  if (on_request) on_request(*session.connection, Request(requests.back()));
  return true;
}

}  // namespace ba
