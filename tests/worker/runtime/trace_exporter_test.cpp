// SPDX-License-Identifier: Apache-2.0
// The exporter's thread over real sockets.
#include "worker/runtime/trace_exporter.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"

namespace ba::runtime {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class NoLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

std::string unpacked(const std::string& body) {
  google::protobuf::io::ArrayInputStream in(body.data(), static_cast<int>(body.size()));
  google::protobuf::io::GzipInputStream gzip_in(&in, google::protobuf::io::GzipInputStream::GZIP);
  std::string out;
  const void* piece = nullptr;
  int size = 0;
  while (gzip_in.Next(&piece, &size)) out.append(static_cast<const char*>(piece), size);
  return out;
}

trace::Span named(const std::string& name) {
  trace::Span span;
  span.trace_id = std::string(32, 'a');
  span.span_id = std::string(16, 'b');
  span.name = name;
  return span;
}

class TraceExporterTest : public testing::Test {
 protected:
  std::unique_ptr<TraceExporter> started(const std::string& endpoint) {
    TraceExporterOptions options;
    options.otlp.endpoint = endpoint;
    options.otlp.batch_size = 2;
    options.otlp.timeout = Milliseconds(2'000);
    options.otlp.headers["x-key"] = Secret("k");
    options.queue_max = 4;
    auto made = TraceExporter::start(options, log_);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }

  /// The exporter's thread wakes this loop by its requests only.
  bool soon(const std::function<bool()>& reached) {
    std::unique_ptr<Timer> tick;
    std::function<void()> again = [&] { tick = loop_.after(Milliseconds(5), again); };
    again();
    return loop_.run_until(reached);
  }

  AsioLoop loop_;
  NoLog log_;
};

TEST_F(TraceExporterTest, SendsWhatItIsGiven) {
  HttpStub stub(loop_.io);
  stub.on_request = [](HttpStubConnection& connection, const HttpStub::Request&) {
    connection.answer(200, "{}");
  };
  const auto exporter = started(stub.url());
  exporter->add(named("one"));
  exporter->add(named("two"));
  ASSERT_TRUE(soon([&] { return exporter->counts().exported == 2; }));
  ASSERT_EQ(stub.requests.size(), 1U);
  EXPECT_THAT(stub.requests[0].head, HasSubstr("POST /v1/traces HTTP/1.1\r\n"));
  EXPECT_THAT(stub.requests[0].head, HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_THAT(stub.requests[0].head, HasSubstr("x-key: k\r\n"));
  const json told = json::parse(unpacked(stub.requests[0].body));
  EXPECT_EQ(told.at("/resourceSpans/0/scopeSpans/0/spans/1/name"_json_pointer), "two");
}

TEST_F(TraceExporterTest, StoppingSendsTheRest) {
  HttpStub stub(loop_.io);
  stub.on_request = [](HttpStubConnection& connection, const HttpStub::Request&) {
    connection.answer(200, "{}");
  };
  const auto exporter = started(stub.url());
  exporter->add(named("one"));
  loop_.serve_while([&] {
    exporter->stop(Milliseconds(10'000));
    return true;
  });
  EXPECT_EQ(exporter->counts().exported, 1);
  EXPECT_EQ(stub.requests.size(), 1U);
  exporter->add(named("late"));  // harmless
}

/// Nobody answers: whoever adds goes on at once, what doesn't fit is counted, and stopping ends.
TEST_F(TraceExporterTest, ACollectorThatHangsHoldsNothingUp) {
  HttpStub stub(loop_.io);
  const auto exporter = started(stub.url());
  for (int i = 0; i < 10'000; ++i) exporter->add(named("x"));
  exporter->stop(Milliseconds(50));
  const trace::SpanCounts counts = exporter->counts();
  EXPECT_GT(counts.dropped_full, 0);
  EXPECT_GT(counts.dropped_at_end, 0);
  EXPECT_EQ(counts.dropped_full + counts.dropped_at_end, 10'000);
}

TEST_F(TraceExporterTest, ABadAddressIsSaidAtTheStart) {
  TraceExporterOptions options;
  options.otlp.endpoint = "nonsense";
  EXPECT_FALSE(TraceExporter::start(options, log_));
}

}  // namespace
}  // namespace ba::runtime
