// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/http_session.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>

namespace ba::scripted {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kBodyBytesMax = 32 << 20;  // as the provider's limit

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(asio::ip::tcp::socket socket, Service& service)
      : socket_(std::move(socket)), timer_(socket_.get_executor()), service_(service) {
    error_code ignored;
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  }

  void next_request() {
    parser_.emplace();
    parser_->eager(true);
    parser_->body_limit(kBodyBytesMax);
    parse();
  }

 private:
  void read_more() {
    socket_.async_read_some(
        buffer_.prepare(kReadBytes),
        [self = shared_from_this()](const error_code& error, std::size_t bytes) {
          if (error) return;
          self->buffer_.commit(bytes);
          self->parse();
        });
  }

  void parse() {
    error_code error;
    if (buffer_.size() > 0) buffer_.consume(parser_->put(buffer_.data(), error));
    if (error == http::error::need_more) error = {};
    if (error) return reject(error);
    if (parser_->is_done()) return handle();
    if (parser_->is_header_done() && parser_->get()["Expect"] == "100-continue" && !continued_) {
      continued_ = true;
      return send_continue();
    }
    read_more();
  }

  void send_continue() {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(kContinue),
                      [self = shared_from_this()](const error_code& error, std::size_t) {
                        if (!error) self->read_more();
                      });
  }

  void reject(const error_code& error) {
    const bool too_large = error == http::error::body_limit;
    answer_ =
        whole_answer(too_large ? 413 : 400, "text/html",
                     "<html><body>" + error.message() + "</body></html>", "Connection: close\r\n");
    answer_.end = Answer::End::Close;
    start_answer();
  }

  void handle() {
    const auto& request = parser_->get();
    RequestHeaders headers;
    headers.content_type = view(request[http::field::content_type]);
    headers.authorization = view(request[http::field::authorization]);
    headers.api_key = view(request["x-api-key"]);
    headers.anthropic_version = view(request["anthropic-version"]);
    headers.anthropic_beta = view(request["anthropic-beta"]);
    continued_ = false;
    answer_ = service_.answer(view(request.method_string()), view(request.target()), headers,
                              request.body());
    if (!request.keep_alive() && answer_.end == Answer::End::KeepAlive) {
      answer_.end = Answer::End::Close;
    }
    start_answer();
  }

  void start_answer() {
    sent_ = 0;
    next_break_ = 0;
    if (answer_.delay.count() > 0) {
      wait(answer_.delay);
    } else {
      send_next();
    }
  }

  /// Sends up to the next break, or what is left.
  void send_next() {
    if (sent_ == answer_.bytes.size()) return finish();
    const bool more = next_break_ < answer_.breaks.size();
    const std::size_t until = more ? answer_.breaks[next_break_++] : answer_.bytes.size();
    const auto piece = asio::buffer(answer_.bytes.data() + sent_, until - sent_);
    sent_ = until;
    asio::async_write(
        socket_, piece,
        [self = shared_from_this()](const error_code& error, std::size_t) { self->sent(error); });
  }

  void sent(const error_code& error) {
    if (error) return service_.counts().cancelled();
    if (sent_ == answer_.bytes.size()) return finish();
    if (answer_.pause.count() > 0) return wait(answer_.pause);
    send_next();
  }

  void finish() {
    switch (answer_.end) {
      case Answer::End::KeepAlive:
        return next_request();
      case Answer::End::Hang:
        return watch_for_close();
      case Answer::End::Close:
        break;
    }
    error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
  }

  /// Waits, but not for a client that went away.
  void wait(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (error) return;
      error_code ignored;
      self->waiting_ = false;
      self->socket_.cancel(ignored);
      self->send_next();
    });
    waiting_ = true;
    watch_for_close();
  }

  void watch_for_close() {
    socket_.async_wait(asio::ip::tcp::socket::wait_read,
                       [self = shared_from_this()](const error_code& error) {
                         if (!error) self->look_for_close();
                       });
  }

  void look_for_close() {
    char byte = 0;
    error_code error;
    const std::size_t got =
        socket_.receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, error);
    if (!error && got > 0) return;  // the next request, already: it can wait
    service_.counts().cancelled();
    timer_.cancel();
    socket_.close(error);
  }

  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  Service& service_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  bool continued_ = false;
  bool waiting_ = false;
  Answer answer_;
  std::size_t sent_ = 0;
  std::size_t next_break_ = 0;
};

}  // namespace

void start_session(asio::ip::tcp::socket socket, Service& service) {
  std::make_shared<Session>(std::move(socket), service)->next_request();
}

}  // namespace ba::scripted
