// SPDX-License-Identifier: Apache-2.0
// What doctor says of the collector that traces go to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "worker/cli/doctor/check.hpp"

namespace ba::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class CheckTraces : public ::testing::Test {
 protected:
  Checks checks(const std::string& endpoint) {
    config_.observability.otlp_endpoint = endpoint;
    auto all = loop_.serve_while([this] { return check_traces(config_); });
    return all.value_or(Checks());
  }

  std::string closed_port() {
    boost::asio::ip::tcp::acceptor nobody(loop_.io, {boost::asio::ip::address_v4::loopback(), 0});
    return "http://127.0.0.1:" + std::to_string(nobody.local_endpoint().port());
  }

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  config::Config config_;
};

TEST_F(CheckTraces, SayNothingWhereNoTracesAreTold) {
  EXPECT_THAT(checks(""), IsEmpty());
  config_.observability.enable_tracing = false;
  EXPECT_THAT(checks(stub_.url()), IsEmpty());
  config_.observability.enable_tracing = true;
  config_.observability.trace_sampling = trace::TraceSampling::Never;
  EXPECT_THAT(checks(stub_.url()), IsEmpty());
}

TEST_F(CheckTraces, PassWhereTheCollectorCanBeReached) {
  const Checks found = checks(stub_.url() + "/key-in-path");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].name, "traces");
  EXPECT_EQ(found[0].status, CheckStatus::Pass);
  EXPECT_EQ(found[0].message, stub_.url() + " can be reached, not encrypted");
}

/// Jobs run without it.
TEST_F(CheckTraces, WarnWhereNobodyListens) {
  const std::string url = closed_port();
  const Checks found = checks(url + "/key-in-path");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].status, CheckStatus::Warn);
  EXPECT_THAT(found[0].message, HasSubstr(url + " can't be reached: "));
  EXPECT_THAT(found[0].message, Not(HasSubstr("key-in-path")));
}

TEST_F(CheckTraces, SayThatPort4317IsGrpc) {
  const Checks found = checks("http://127.0.0.1:4317");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].status, CheckStatus::Warn);
  EXPECT_THAT(found[0].message, HasSubstr("port 4317, which is gRPC"));
  EXPECT_THAT(found[0].remedy, HasSubstr("4318"));
}

}  // namespace
}  // namespace ba::cli
