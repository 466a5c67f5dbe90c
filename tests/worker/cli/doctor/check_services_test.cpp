// SPDX-License-Identifier: Apache-2.0
// What doctor says of the services that tools ask, over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tls_stub.hpp"
#include "worker/cli/doctor/check.hpp"
#include "worker/tools/search/web_search_config.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class CheckServices : public ::testing::Test {
 protected:
  Checks checks() {
    auto all = loop_.serve_while([this] { return check_services(config_); });
    EXPECT_TRUE(all);
    return all.value_or(Checks());
  }

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  config::Config config_;
};

TEST_F(CheckServices, SayNothingOfToolsThatAreOff) { EXPECT_THAT(checks(), IsEmpty()); }

TEST_F(CheckServices, NameEachToolAndItsHostAndAskItNothing) {
  config_.tools.of<search::WebSearchConfig>().base_url = stub_.url() + "/hunter2";
  config_.tools.of<search::WebSearchConfig>().api_key = Secret("hunter2");
  config_.tools.of<vector::VectorSearchConfig>().base_url = stub_.url();
  const Checks both = checks();
  ASSERT_THAT(both, SizeIs(2));
  EXPECT_EQ(both[0].name, "web_search");
  EXPECT_EQ(both[1].name, "vector_search");
  for (const Check& check : both) {
    EXPECT_EQ(check.status, CheckStatus::Pass) << check.message;
    EXPECT_EQ(check.message, stub_.url() + " can be reached, not encrypted");
  }
  EXPECT_TRUE(loop_.run_until([this] {
    return stub_.opened_connections() == 2 && stub_.open_connections() == 0;
  })) << stub_.opened_connections()
      << " opened, " << stub_.open_connections() << " open";
  EXPECT_THAT(stub_.requests, IsEmpty()) << "a search costs money";
}

TEST_F(CheckServices, FailWhereNobodyListensAndSayWhatToDo) {
  boost::asio::ip::tcp::acceptor nobody(loop_.io, {boost::asio::ip::address_v4::loopback(), 0});
  const std::string host = "http://127.0.0.1:" + std::to_string(nobody.local_endpoint().port());
  nobody.close();
  config_.tools.of<search::WebSearchConfig>().base_url = host + "/hunter2";
  const Checks failed = checks();
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_EQ(failed[0].status, CheckStatus::Fail);
  EXPECT_THAT(failed[0].message, StartsWith(host + " can't be reached: "));
  EXPECT_THAT(failed[0].message, Not(HasSubstr("hunter2")));
  EXPECT_THAT(failed[0].remedy, EndsWith("in tools.web_search"));
}

TEST_F(CheckServices, ACertificateThatIsNotTrustedIsNoService) {
  TlsStub tls(loop_.io, {});
  config_.tools.of<vector::VectorSearchConfig>().base_url = tls.url();
  const Checks failed = checks();
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_EQ(failed[0].status, CheckStatus::Fail);
  EXPECT_THAT(failed[0].remedy, HasSubstr("set tools.vector_search.ca_file"));
  TemporaryDirectory directory;
  directory.write("ca.pem", tls.certificate_pem());
  config_.tools.of<vector::VectorSearchConfig>().ca_file = (directory.path() / "ca.pem").string();
  const Checks passed = checks();
  ASSERT_THAT(passed, SizeIs(1));
  EXPECT_EQ(passed[0].status, CheckStatus::Pass) << passed[0].message;
  EXPECT_THAT(passed[0].message, EndsWith("encrypted (TLS), certificate and host name verified"));
  EXPECT_EQ(tls.requests(), 0);
}

TEST_F(CheckServices, AnAddressThatIsNoneIsNotShown) {
  config_.tools.of<search::WebSearchConfig>().base_url = "http://user:hunter2@host";
  const Checks failed = checks();
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_EQ(failed[0].status, CheckStatus::Fail);
  EXPECT_THAT(failed[0].message, Not(HasSubstr("hunter2")));
  EXPECT_EQ(failed[0].remedy, "correct tools.web_search.base_url");
}

}  // namespace
}  // namespace ba::cli
