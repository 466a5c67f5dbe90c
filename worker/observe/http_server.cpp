// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/http_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <list>
#include <set>
#include <thread>

namespace ba::observe {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

constexpr std::chrono::milliseconds kAcceptPause{100};

class Connection;

/// What all connections share; lives on the server's thread.
struct Shared {
  HttpServerOptions options;
  HttpServer::Handler handler;
  std::set<Connection*> open;
  std::list<Connection*> silent;  ///< owe us a request, the one that has longest first
};

/// One client. Owns itself through its pending operation: each has a deadline, so each ends.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared) : stream_(std::move(socket)), shared_(shared) {
    shared_.open.insert(this);
  }
  ~Connection() {
    shared_.open.erase(this);
    shared_.silent.remove(this);
  }

  void read() {
    shared_.silent.push_back(this);
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(shared_.options.header_bytes_max));
    parser_->body_limit(0);
    stream_.expires_after(shared_.options.request_timeout);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code failed, std::size_t) {
                       self->on_request(failed);
                     });
  }

  void refuse(http::status status, const char* why) {
    HttpAnswer answer;
    answer.status = static_cast<int>(status);
    answer.body = std::string(why) + "\n";
    send(std::move(answer), false, false);
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().close(ignored);
  }

 private:
  void on_request(beast::error_code failed) {
    shared_.silent.remove(this);
    if (failed == http::error::header_limit)
      return refuse(http::status::request_header_fields_too_large, "header too large");
    if (failed == http::error::body_limit)
      return refuse(http::status::payload_too_large, "no body, please");
    if (failed == http::error::end_of_stream || failed == beast::error::timeout) return shut();
    if (failed.category() == http::make_error_code(http::error::bad_method).category())
      return refuse(http::status::bad_request, "not an HTTP request");
    if (failed) return;
    const auto& request = parser_->get();
    const bool head = request.method() == http::verb::head;
    if (request.method() != http::verb::get && !head)
      return refuse(http::status::method_not_allowed, "GET and HEAD only");
    send(answer_to(std::string(request.target())), head, request.keep_alive());
  }

  HttpAnswer answer_to(const std::string& target) {
    HttpAnswer answer;
    try {
      if (shared_.handler(target.substr(0, target.find('?')), answer)) return answer;
      answer = HttpAnswer{404, "text/plain; charset=utf-8", "not found\n"};
    } catch (const std::exception& error) {
      answer = HttpAnswer{500, "text/plain; charset=utf-8", std::string(error.what()) + "\n"};
    }
    return answer;
  }

  void send(HttpAnswer answer, bool head, bool keep_alive) {
    response_ = {};
    response_.result(static_cast<unsigned>(answer.status));
    response_.set(http::field::content_type, answer.content_type);
    response_.set(http::field::cache_control, "no-store");
    if (response_.result() == http::status::method_not_allowed)
      response_.set(http::field::allow, "GET, HEAD");
    response_.keep_alive(keep_alive);
    response_.content_length(answer.body.size());
    if (!head) response_.body() = std::move(answer.body);
    stream_.expires_after(shared_.options.request_timeout);
    http::async_write(
        stream_, response_,
        [self = shared_from_this(), keep_alive](beast::error_code failed, std::size_t) {
          if (failed) return;
          if (keep_alive)
            self->read();
          else
            self->shut();
        });
  }

  void shut() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  Shared& shared_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
};

}  // namespace

struct HttpServer::Parts {
  Shared shared;  // before io: what is left in io at the end still refers to it
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer pause{io};
  std::thread thread;

  void listen(const tcp::endpoint& where) {
    acceptor.open(where.protocol());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind(where);
    acceptor.listen();
  }

  void accept() {
    acceptor.async_accept([this](beast::error_code failed, tcp::socket socket) {
      if (!acceptor.is_open()) return;  // stopped, perhaps with this connection just accepted
      if (failed) return accept_later();
      serve(std::move(socket));
      accept();
    });
  }

  void serve(tcp::socket socket) {
    const std::size_t open = shared.open.size();
    if (open >= 2 * shared.options.connections_max) return;  // a flood: just close
    auto connection = std::make_shared<Connection>(std::move(socket), shared);
    if (open >= shared.options.connections_max && !make_room())
      connection->refuse(http::status::service_unavailable, "too many connections");
    else
      connection->read();
  }

  /// A probe must get through however many others open connections and say nothing.
  bool make_room() {
    if (shared.silent.empty()) return false;
    Connection* longest = shared.silent.front();
    shared.silent.pop_front();
    longest->close();
    return true;
  }

  /// Without a descriptor for it the connection still waits, and would be tried again at once.
  void accept_later() {
    pause.expires_after(kAcceptPause);
    pause.async_wait([this](beast::error_code) {
      if (acceptor.is_open()) accept();
    });
  }

  /// On the server's thread: ends every operation, so that run() returns.
  void stop() {
    beast::error_code ignored;
    acceptor.close(ignored);
    pause.cancel();
    for (Connection* connection : shared.open) connection->close();
  }
};

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpServerOptions& options,
                                                      Handler handler) {
  auto parts = std::make_unique<Parts>();
  parts->shared.options = options;
  parts->shared.handler = std::move(handler);
  try {
    parts->listen(
        {asio::ip::make_address(options.address), static_cast<std::uint16_t>(options.port)});
  } catch (const boost::system::system_error& error) {
    // Its own text would name a line of the library.
    return invalid_argument("can't listen on " + options.address + " port " +
                            std::to_string(options.port) + ": " + error.code().message() +
                            "; correct http.address or http.port (0: any free one), or set "
                            "http.enabled: false");
  }
  parts->accept();
  Parts* running = parts.get();
  parts->thread = std::thread([running] { running->io.run(); });
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(parts)));
}

HttpServer::HttpServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpServer::~HttpServer() {
  Parts* parts = parts_.get();
  asio::post(parts->io, [parts] { parts->stop(); });
  parts->thread.join();
}

int HttpServer::port() const { return parts_->acceptor.local_endpoint().port(); }

}  // namespace ba::observe
