// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/stdio_transport.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <deque>
#include <utility>

namespace ba::mcp {
namespace {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

Error closed(ErrorCode code, std::string why) {
  Error error;
  error.code = code;
  error.retry = Retry::Later;
  error.message = std::move(why);
  return error;
}

/// The running child and its pipes. Shared with the reads and writes under way.
class Wire : public std::enable_shared_from_this<Wire> {
 public:
  Wire(ChildProcess child, StdioOptions options, boost::asio::io_context& io, Executor& executor,
       Log& log)
      : options_(std::move(options)),
        executor_(executor),
        log_(log),
        child_(std::move(child)),
        input_(io, child_.input.release()),
        output_(io, child_.output.release()),
        errors_(io, child_.errors.release()),
        ended_(io, child_.ended.release()),
        lines_(options_.line_bytes_max),
        error_lines_(kErrorLineBytesMax) {}

  void start(TransportListener& listener) {
    listener_ = &listener;
    read_output();
    read_errors();
    await_end();
  }

  void write(std::string line) {
    if (stopping_ || listener_ == nullptr) return;
    unsent_bytes_ += line.size() + 1;
    if (unsent_bytes_ > kUnsentBytesMax)
      return fail_soon(closed(ErrorCode::LimitExceeded, "it doesn't read what it is sent"));
    unsent_.push_back(std::move(line) + "\n");
    if (!writing_) write_next();
  }

  /// Its input ends; then it has time to go by itself.
  void stop(std::function<void()> done) {
    listener_ = nullptr;
    stopping_ = true;
    stopped_ = std::move(done);
    error_code ignored;
    if (!writing_) input_.close(ignored);
    if (child_over_) return finish_stop();
    grace_ = executor_.after(kStopGrace, [this] {
      child_.signal(SIGTERM);
      grace_ = executor_.after(kTermGrace, [this] { child_.signal(SIGKILL); });
    });
  }

  /// No handler does anything any more; the child goes with the wire.
  void abandon() {
    listener_ = nullptr;
    stopped_ = nullptr;
    grace_.reset();
    error_code ignored;
    for (stream_descriptor* stream : {&input_, &output_, &errors_, &ended_}) stream->close(ignored);
  }

 private:
  void read_output() {
    output_.async_read_some(
        boost::asio::buffer(output_bytes_),
        [self = shared_from_this()](const error_code& error, std::size_t count) {
          if (error || self->listener_ == nullptr) return self->output_ended(bool(error));
          const bool whole =
              self->lines_.feed({self->output_bytes_.data(), count},
                                [&](std::string_view line) { self->take_line(line); });
          if (!whole)
            return self->fail(
                closed(ErrorCode::LimitExceeded, "it sent a message of more than " +
                                                     std::to_string(self->options_.line_bytes_max) +
                                                     " bytes (message_bytes_max)"));
          self->read_output();
        });
  }

  void take_line(std::string_view line) {
    if (line.find_first_not_of(" \t") == line.npos || listener_ == nullptr) return;
    RpcMessage message = read_rpc_message(line);
    const bool garbage = message.kind == RpcMessage::Kind::Garbage;
    if (garbage && !std::exchange(garbage_told_, true))
      log_.warning("a server of tools wrote what is no message", {{"server", options_.server}});
    listener_->on_message(kSharedStream, std::move(message));
  }

  void output_ended(bool failed) {
    if (!failed || listener_ == nullptr) return;
    fail(closed(ErrorCode::Unavailable, "it closed its output"));
  }

  void read_errors() {
    errors_.async_read_some(
        boost::asio::buffer(error_bytes_),
        [self = shared_from_this()](const error_code& error, std::size_t count) {
          if (error) return;
          self->error_lines_.feed({self->error_bytes_.data(), count},
                                  [&](std::string_view line) { self->tell_error_line(line); });
          self->read_errors();
        });
  }

  void tell_error_line(std::string_view line) {
    if (++error_lines_told_ > kErrorLinesMax + 1) return;
    const bool last = error_lines_told_ > kErrorLinesMax;
    const std::string text = last ? "(more is not written)" : plain_text(line, kErrorLineBytesMax);
    log_.info("a server of tools says", {{"server", options_.server}, {"line", text}});
  }

  void await_end() {
    ended_.async_wait(stream_descriptor::wait_read,
                      [self = shared_from_this()](const error_code& error) {
                        if (!error && self->child_.reap()) self->child_ended();
                      });
  }

  void child_ended() {
    child_over_ = true;
    if (stopping_) return finish_stop();
    fail(closed(ErrorCode::Unavailable, "it ended (" + child_.how_it_ended() + ")"));
  }

  void finish_stop() {
    grace_.reset();
    if (const auto done = std::exchange(stopped_, nullptr)) executor_.post(done);
  }

  void write_next() {
    if (unsent_.empty()) {
      error_code ignored;
      if (stopping_) input_.close(ignored);
      return;
    }
    writing_ = true;
    boost::asio::async_write(input_, boost::asio::buffer(unsent_.front()),
                             [self = shared_from_this()](const error_code& error, std::size_t) {
                               self->writing_ = false;
                               if (error) return;  // its end is told by who waits for it
                               self->unsent_bytes_ -= self->unsent_.front().size();
                               self->unsent_.pop_front();
                               self->write_next();
                             });
  }

  void fail_soon(Error error) {
    executor_.post([self = shared_from_this(), error = std::move(error)] { self->fail(error); });
  }

  void fail(Error error) {
    if (TransportListener* const listener = std::exchange(listener_, nullptr))
      listener->on_closed(std::move(error));
  }

  const StdioOptions options_;
  Executor& executor_;
  Log& log_;
  ChildProcess child_;
  stream_descriptor input_;
  stream_descriptor output_;
  stream_descriptor errors_;
  stream_descriptor ended_;
  TransportListener* listener_ = nullptr;  ///< null once it hears nothing more
  LineSplitter lines_;
  CutLines error_lines_;
  int error_lines_told_ = 0;
  std::array<char, 65536> output_bytes_{};
  std::array<char, 4096> error_bytes_{};
  std::deque<std::string> unsent_;
  std::size_t unsent_bytes_ = 0;
  bool writing_ = false;
  bool stopping_ = false;
  bool child_over_ = false;
  bool garbage_told_ = false;
  std::unique_ptr<Timer> grace_;
  std::function<void()> stopped_;
};

class StdioTransport final : public Transport {
 public:
  StdioTransport(StdioOptions options, boost::asio::io_context& io, Executor& executor, Log& log)
      : options_(std::move(options)), io_(io), executor_(executor), log_(log) {}
  ~StdioTransport() override {
    if (wire_) wire_->abandon();
  }

  void start(TransportListener& listener) override {
    Result<void> begun = begin();
    if (!begun) {
      failed_ = executor_.after(Milliseconds(0),
                                [&listener, error = begun.error()] { listener.on_closed(error); });
      return;
    }
    wire_->start(listener);
  }
  void send(Outgoing message) override {
    if (wire_) wire_->write(std::move(message.body));
  }
  void drop(std::int64_t) override {}
  bool is_http() const override { return false; }
  void listen(HeaderList) override {}
  void stop(std::function<void()> done) override {
    failed_.reset();
    if (wire_)
      wire_->stop(std::move(done));
    else
      executor_.post(std::move(done));
  }

 private:
  Result<void> begin() {
    auto child = ChildProcess::start(options_.command);
    if (!child) return child.error();
    try {
      wire_ = std::make_shared<Wire>(std::move(*child), options_, io_, executor_, log_);
    } catch (const boost::system::system_error& error) {
      return closed(ErrorCode::Unavailable,
                    "its pipes can't be watched: " + error.code().message());
    }
    return {};
  }

  const StdioOptions options_;
  boost::asio::io_context& io_;
  Executor& executor_;
  Log& log_;
  std::shared_ptr<Wire> wire_;  ///< shared with its reads and writes
  std::unique_ptr<Timer> failed_;
};

}  // namespace

std::unique_ptr<Transport> make_stdio_transport(StdioOptions options, boost::asio::io_context& io,
                                                Executor& executor, Log& log) {
  return std::make_unique<StdioTransport>(std::move(options), io, executor, log);
}

}  // namespace ba::mcp
