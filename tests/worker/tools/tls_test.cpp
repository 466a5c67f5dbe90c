// SPDX-License-Identifier: Apache-2.0
// What is told of TLS that fails, by a data source, the ledger, and whatever speaks HTTP: the
// thing, the file and the remedy, and that waiting mends nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/migrate.hpp"
#include "tests/support/tls_servers.hpp"
#include "worker/http/http_question.hpp"
#include "worker/llm/server_question.hpp"
#include "worker/tools/sql/connection/source_login.hpp"
#include "worker/tools/sql/data_source_check.hpp"

namespace ba::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Tls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { servers_ = std::make_unique<TlsServers>(); }
  static void TearDownTestSuite() { servers_.reset(); }

  static std::string url(const std::string& server, const std::string& settings,
                         const std::string& user = "reader") {
    return "host=localhost port=" + servers_->port("postgres-" + server) + " user=" + user +
           " dbname=postgres " + settings;
  }

  static std::string verified(const std::string& server) {
    return url(server, "sslmode=verify-full sslrootcert=" + servers_->file("ca.crt"));
  }

  static Error refusal_of(const std::string& url) {
    sql::DataSourceConfig source;
    source.name = "sales";
    source.url = url;
    const auto facts = sql::inspect(source);
    EXPECT_FALSE(facts) << facts->protection;
    return facts ? Error{} : facts.error();
  }

  /// Both clients of PostgreSQL tell it, each with what it names.
  static void expect_refused(const std::string& url, const std::string& words) {
    const Error source = refusal_of(url);
    EXPECT_THAT(source.message, AllOf(HasSubstr("data source 'sales'"), HasSubstr(words)));
    storage::PgAccess access;
    access.url = url;
    const auto ledger = storage::schema_status(access);
    ASSERT_FALSE(ledger);
    EXPECT_THAT(ledger.error().message,
                AllOf(HasSubstr("PostgreSQL localhost:"), HasSubstr(words)));
    for (const Error& error : {source, ledger.error()}) {
      EXPECT_EQ(error.code, ErrorCode::Authentication) << error.message;
      EXPECT_EQ(error.retry, Retry::Never) << error.message;
    }
  }

  static http::HttpEndpointConfig endpoint(const std::string& server, const std::string& scheme) {
    http::HttpEndpointConfig config;
    config.url = scheme + "://localhost:" + servers_->port(server);
    config.ca_file = servers_->file("ca.crt");
    return config;
  }

  static void expect_distrusted(const http::HttpEndpointConfig& config, const std::string& words) {
    const auto reached = http::probe_endpoint(config, Milliseconds(10'000));
    ASSERT_FALSE(reached) << config.url;
    EXPECT_THAT(reached.error().message, HasSubstr(words));
    EXPECT_EQ(reached.error().retry, Retry::Never);
  }

  static llm::ProviderConfig provider(const std::string& server, const std::string& scheme) {
    llm::ProviderConfig config;
    config.base_url = endpoint(server, scheme).url;
    config.ca_file = servers_->file("ca.crt");
    config.proxy = "http://localhost:" + servers_->port("proxy");
    config.proxy_user = Secret("worker");
    config.proxy_password = Secret("p@ss/w:rd");
    return config;
  }

  static Result<http::HttpReply> asked(const llm::ProviderConfig& provider) {
    return llm::fetch_from_server(provider, provider.base_url, "", Milliseconds(10'000));
  }

  static inline std::unique_ptr<TlsServers> servers_;
};

TEST_F(Tls, AServerThatProvesWhoItIsIsToldAsEncryptedAndVerified) {
  sql::DataSourceConfig source;
  source.url = verified("good");
  const auto facts = sql::inspect(source);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->protection, "encrypted (TLS), certificate and host name verified");
  source.url = url("good", "sslmode=require");
  EXPECT_THAT(sql::inspect(source)->protection, HasSubstr("certificate not verified"));
  source.url = url("plain", "sslmode=prefer");
  EXPECT_EQ(sql::inspect(source)->protection, "not encrypted");
}

TEST_F(Tls, AnExpiredCertificateIsToldAsExpired) {
  expect_refused(verified("expired"), "has expired: renew it there");
  expect_distrusted(endpoint("https-expired", "https"), "has expired: renew it there");
}

TEST_F(Tls, OfSeveralServersTheOneThatFailedIsLookedAt) {
  const Error error = refusal_of(
      "host=localhost,localhost port=1," + servers_->port("postgres-expired") +
      " user=reader dbname=postgres sslmode=verify-full sslrootcert=" + servers_->file("ca.crt"));
  EXPECT_THAT(error.message, HasSubstr("has expired: renew it there"));
}

TEST_F(Tls, AWrongAuthorityIsToldWithItsFile) {
  const std::string other = servers_->file("other-ca.crt");
  expect_refused(url("good", "sslmode=verify-ca sslrootcert=" + other),
                 "signed by an authority that isn't in " + other + ": set sslrootcert");
  http::HttpEndpointConfig config = endpoint("https-good", "https");
  config.ca_file = other;
  expect_distrusted(config, "signed by an authority that isn't in " + other + ": set ca_file");
}

TEST_F(Tls, AWrongHostNameIsTold) {
  expect_refused(verified("elsewhere"), "is for elsewhere.example, not for localhost");
  expect_distrusted(endpoint("https-elsewhere", "https"), "isn't for the host name of the URL");
}

TEST_F(Tls, AServerWithoutTlsIsTold) {
  expect_refused(verified("plain"), "the server has no TLS, and sslmode=verify-full demands it");
  expect_distrusted(endpoint("http", "https"), "doesn't speak TLS: write http://");
}

TEST_F(Tls, AFileOfAuthoritiesThatIsMissingOrNoneIsTold) {
  expect_refused(url("good", "sslmode=verify-full sslrootcert=/no/such.pem"),
                 "/no/such.pem, is missing or can't be read: correct sslrootcert");
  for (const std::string& file : {std::string("/no/such.pem"), servers_->file("client.key")}) {
    http::HttpEndpointConfig config = endpoint("https-good", "https");
    config.ca_file = file;
    expect_distrusted(config, file + " is missing, can't be read or holds no certificate");
  }
}

TEST_F(Tls, AClientsCertificateThatIsMissingOrRefusedIsTold) {
  const auto with = [](const std::string& name) {
    return " sslcert=" + servers_->file(name + ".crt") + " sslkey=" + servers_->file(name + ".key");
  };
  expect_refused(url("good", "sslmode=require", "signed"), "set sslcert and sslkey");
  expect_refused(url("good", "sslmode=require" + with("stranger"), "signed"),
                 "refuses the client's certificate " + servers_->file("stranger.crt"));
  expect_refused(
      url("good",
          "sslmode=require sslcert=" + servers_->file("client.crt") + " sslkey=/no/such.key",
          "signed"),
      "/no/such.key");
  sql::DataSourceConfig source;
  source.url = url("good", "sslmode=require" + with("client"), "signed");
  EXPECT_TRUE(sql::inspect(source)) << sql::inspect(source).error().message;
}

TEST_F(Tls, AModelIsToldThatAnOperatorMustMendItAndNothingOfFiles) {
  sql::SqlFailure failure;
  failure.kind = sql::SqlFailure::Kind::Tls;
  failure.refusal = "the server's certificate isn't in /etc/ca.pem";
  const ToolError error = sql::error_of(failure, "sales");
  EXPECT_EQ(error.type, ToolErrorType::DependencyError);
  EXPECT_EQ(error.code, "TLS_FAILED");
  EXPECT_THAT(error.message, AllOf(HasSubstr("'sales'"), Not(HasSubstr("/etc"))));
}

TEST_F(Tls, AServerThatWantsAClientsCertificateIsTold) {
  llm::ProviderConfig config = provider("https-clients", "https");
  config.proxy.clear();
  config.proxy_user = config.proxy_password = Secret();
  const auto answer = asked(config);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("wants a client's certificate"));
  EXPECT_EQ(answer.error().retry, Retry::Never);
}

TEST_F(Tls, AProxyIsLoggedInToForBothSchemes) {
  for (const auto& [server, scheme] :
       {std::pair{"http", "http"}, std::pair{"https-good", "https"}}) {
    const auto answer = asked(provider(server, scheme));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 200) << scheme;
  }
}

TEST_F(Tls, AProxyThatRefusesTheLoginIsToldWithTheKeysAndWithoutTheLogin) {
  llm::ProviderConfig config = provider("https-good", "https");
  config.proxy_password = Secret("hunter2");
  const auto answer = asked(config);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message,
              AllOf(HasSubstr("set proxy_user and proxy_password"), Not(HasSubstr("hunter2"))));
  EXPECT_EQ(answer.error().retry, Retry::Never);
  llm::ProviderConfig plain = provider("http", "http");
  plain.proxy_user = plain.proxy_password = Secret();
  EXPECT_EQ(asked(plain)->status, 407);
}

}  // namespace
}  // namespace ba::tools
