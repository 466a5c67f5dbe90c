// SPDX-License-Identifier: Apache-2.0
// A child process as a server, well-behaved and not: real pipes, real time.
#include "worker/mcp/stdio_transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <mutex>

#include "tests/support/asio_loop.hpp"

namespace ba::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LineLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel, std::string_view text, Fields fields) override {
    std::string line(text);
    for (const LogField& field : fields)
      if (const auto* value = std::get_if<std::string_view>(&field.value))
        line += " " + std::string(*value);
    lines.push_back(std::move(line));
  }
  std::vector<std::string> lines;
};

class StdioTest : public ::testing::Test, public TransportListener {
 protected:
  void start(const std::string& script, std::size_t line_bytes_max = 4096) {
    StdioOptions options;
    options.server = "s";
    options.command.arguments = {"sh", "-c", script};
    options.command.environment = inherited_environment();
    options.line_bytes_max = line_bytes_max;
    transport_ = make_stdio_transport(std::move(options), loop_.io, loop_, log_);
    transport_->start(*this);
  }
  void send(const std::string& body) {
    Outgoing message;
    message.body = body;
    transport_->send(std::move(message));
  }
  bool stop() {
    bool stopped = false;
    transport_->stop([&stopped] { stopped = true; });
    return loop_.run_until([&stopped] { return stopped; });
  }
  bool hears(std::size_t count) {
    return loop_.run_until([&] { return messages_.size() >= count; });
  }

  void on_message(std::int64_t, RpcMessage message) override {
    messages_.push_back(std::move(message));
  }
  void on_lost(std::int64_t, Lost) override { FAIL(); }
  void on_closed(Error error) override { closed_ = std::move(error); }

  AsioLoop loop_;
  LineLog log_;
  std::vector<RpcMessage> messages_;
  std::optional<Error> closed_;
  std::unique_ptr<Transport> transport_;
};

TEST_F(StdioTest, ExchangesLinesAndEndsWithItsInput) {
  start(R"(read line; echo '{"id":1,"result":{}}'; cat > /dev/null)");
  send("{}");
  ASSERT_TRUE(hears(1));
  EXPECT_EQ(messages_[0].kind, RpcMessage::Kind::Result);
  EXPECT_TRUE(stop());
  EXPECT_FALSE(closed_);
}

TEST_F(StdioTest, PutsHalfLinesTogetherAndBearsGarbage) {
  start(
      R"(printf '{"id":1,'; sleep 0.05; printf '"result":{}}\nnot json\n\n{"method":"m"}\n'; cat)");
  ASSERT_TRUE(hears(3));
  EXPECT_EQ(messages_[1].kind, RpcMessage::Kind::Garbage);
  EXPECT_EQ(messages_[2].method, "m");
}

TEST_F(StdioTest, ALineTooLongEndsTheConnection) {
  start("head -c 1000000000 /dev/zero | tr '\\0' x");
  ASSERT_TRUE(loop_.run_until([this] { return closed_.has_value(); }));
  EXPECT_EQ(closed_->code, ErrorCode::LimitExceeded);
  EXPECT_TRUE(stop());
}

TEST_F(StdioTest, TellsThatTheChildEnded) {
  start("exit 3");
  ASSERT_TRUE(loop_.run_until([this] { return closed_.has_value(); }));
  EXPECT_EQ(closed_->code, ErrorCode::Unavailable);
  EXPECT_TRUE(stop());
}

TEST_F(StdioTest, TellsThatThereIsNoSuchProgram) {
  StdioOptions options;
  options.command.arguments = {"there-is-no-such-program"};
  transport_ = make_stdio_transport(std::move(options), loop_.io, loop_, log_);
  transport_->start(*this);
  ASSERT_TRUE(loop_.run_until([this] { return closed_.has_value(); }));
  EXPECT_EQ(closed_->code, ErrorCode::InvalidArgument);
  EXPECT_TRUE(stop());
}

TEST_F(StdioTest, KnowsOnlyTheEnvironmentItIsGiven) {
  ::setenv("BA_CANARY_SECRET", "canary", 1);
  start(R"(env | tr '\n' ' ' | sed 's/^/{"method":"/;s/$/"}/'; echo; cat)");
  ASSERT_TRUE(hears(1));
  EXPECT_THAT(messages_[0].method, Not(HasSubstr("canary")));
  EXPECT_THAT(messages_[0].method, HasSubstr("PATH="));
  ::unsetenv("BA_CANARY_SECRET");
}

TEST_F(StdioTest, InheritsNoDescriptor) {
  start(R"(ls /proc/self/fd | tr '\n' ' ' | sed 's/^/{"method":"/;s/$/"}/'; echo; cat)");
  ASSERT_TRUE(hears(1));
  EXPECT_EQ(messages_[0].method, "0 1 2 3 ");  // 3 is the folder that ls reads
}

TEST_F(StdioTest, AServerThatIgnoresItsEndIsKilledWithWhatItStarted) {
  start(R"(trap '' TERM; sleep 1000 & echo "{\"method\":\"$!\"}"; while :; do sleep 1; done)");
  ASSERT_TRUE(hears(1));
  const pid_t left_behind = std::stoi(messages_[0].method);
  EXPECT_TRUE(stop());
  transport_.reset();
  EXPECT_TRUE(loop_.run_until([&] {
    loop_.post([] {});
    return ::kill(left_behind, 0) != 0;
  }));
}

TEST_F(StdioTest, WhatItSaysOnTheSideGoesToTheLogWithinBounds) {
  start(
      R"(i=0; while [ $i -lt 500 ]; do echo "line $i" >&2; i=$((i+1)); done; echo '{"method":"m"}'; cat)");
  ASSERT_TRUE(hears(1));
  ASSERT_TRUE(loop_.run_until([this] { return log_.lines.size() > kErrorLinesMax; }));
  EXPECT_THAT(log_.lines[0], HasSubstr("line 0"));
  EXPECT_EQ(log_.lines.size(), std::size_t{kErrorLinesMax + 1});
}

TEST_F(StdioTest, AServerThatReadsNothingIsGivenUp) {
  start("sleep 1000");
  for (int i = 0; i < 20 && !closed_; ++i) send(std::string(1 << 20, 'x'));
  ASSERT_TRUE(loop_.run_until([this] { return closed_.has_value(); }));
  EXPECT_EQ(closed_->code, ErrorCode::LimitExceeded);
}

}  // namespace
}  // namespace ba::mcp
