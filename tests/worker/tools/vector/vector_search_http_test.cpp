// SPDX-License-Identifier: Apache-2.0
// Searches that end before a data source is asked: what the embeddings service does to them.
#include <boost/asio/ip/tcp.hpp>

#include "tests/worker/tools/vector/vector_fixture.hpp"
#include "worker/tools/vector/embedding.hpp"

namespace ba::vector {
namespace {

using Type = ToolErrorType;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class VectorSearchHttp : public VectorSearchTest {
 protected:
  void expect_failure(Type type, const std::string& code, const std::string& words) {
    const RawToolResult result = search("q");
    const ToolError error = error_of(result);
    EXPECT_EQ(error.type, type) << error.message;
    EXPECT_EQ(error.code, code);
    EXPECT_THAT(error.message, HasSubstr(words));
    EXPECT_EQ(result.data, "");
  }
};

TEST_F(VectorSearchHttp, AsksForTheEmbeddingOfTheQuery) {
  config_.base_url = stub_.url() + "/openai/v3";
  config_.api_key = Secret("the-key");
  serve_answer(500, "");
  EXPECT_TRUE(search("two \"words\" ü").error);
  const Request& request = stub_.requests.at(0);
  EXPECT_THAT(request.head, StartsWith("POST /openai/v3/embeddings HTTP/1.1\r\n"));
  EXPECT_THAT(request.head, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(request.head, HasSubstr("Authorization: Bearer the-key"));
  EXPECT_EQ(request.body, R"({"model":"words","input":"two \"words\" ü"})");
}

TEST_F(VectorSearchHttp, AnAddressWithoutAPathGetsV1AndNoKeyIsSentWhereThereIsNone) {
  serve_answer(500, "");
  EXPECT_TRUE(search("q").error);
  EXPECT_THAT(stub_.requests.at(0).head, StartsWith("POST /v1/embeddings HTTP/1.1\r\n"));
  EXPECT_THAT(stub_.requests.at(0).head, Not(HasSubstr("Authorization")));
}

TEST_F(VectorSearchHttp, AQueryThatIsRefusedAsksNobody) {
  EXPECT_EQ(error_of(search(" \n")).type, Type::InvalidParameters);
  EXPECT_EQ(error_of(search("q", {{"limit", 51}})).type, Type::InvalidParameters);
  tenant_ = "";
  EXPECT_EQ(error_of(search("1 0 0")).code, "TENANT_MISSING");
  EXPECT_EQ(stub_.opened_connections(), 0);
}

struct StatusCase {
  int status;
  Type type;
  const char* code;
  const char* remedy;
};

TEST_F(VectorSearchHttp, EachStatusIsOfAnErrorType) {
  const std::vector<StatusCase> cases{
      {302, Type::DependencyError, "EMBEDDING_REDIRECTED", "base_url"},
      {400, Type::InvalidParameters, "EMBEDDING_REFUSED", "shorten"},
      {401, Type::DependencyError, "EMBEDDING_UNAUTHORIZED", "api_key"},
      {402, Type::DependencyError, "EMBEDDING_UNPAID", "account"},
      {403, Type::DependencyError, "EMBEDDING_UNAUTHORIZED", "api_key"},
      {404, Type::DependencyError, "EMBEDDING_ADDRESS_WRONG", "model"},
      {407, Type::DependencyError, "EMBEDDING_UNAUTHORIZED", "proxy"},
      {408, Type::TransientError, "EMBEDDING_UNAVAILABLE", "later"},
      {413, Type::InvalidParameters, "EMBEDDING_REFUSED", "shorten"},
      {422, Type::InvalidParameters, "EMBEDDING_REFUSED", "model"},
      {429, Type::RateLimit, "EMBEDDING_RATE_LIMITED", "wait"},
      {500, Type::TransientError, "EMBEDDING_UNAVAILABLE", "later"},
      {503, Type::TransientError, "EMBEDDING_UNAVAILABLE", "later"},
      {799, Type::DependencyError, "EMBEDDING_ADDRESS_WRONG", "base_url"}};
  for (const StatusCase& row : cases) {
    SCOPED_TRACE(row.status);
    serve_answer(row.status, answer_with({1, 0, 0}), "Location: /elsewhere\r\n");
    expect_failure(row.type, row.code, row.remedy);
    EXPECT_THAT(result_->error->message, HasSubstr("HTTP status " + std::to_string(row.status)));
  }
  EXPECT_EQ(stub_.requests.size(), cases.size());  // no redirect was followed
}

TEST_F(VectorSearchHttp, AServiceThatIsBusySaysWhenToComeAgain) {
  serve_answer(429, "", "Retry-After: 7\r\n");
  expect_failure(Type::RateLimit, "EMBEDDING_RATE_LIMITED", ". It asks for a wait of 7 s");
  EXPECT_EQ(result_->retry_after, Milliseconds(7000));
  serve_answer(503, "", "Retry-After-Ms: 250\r\n");
  expect_failure(Type::TransientError, "EMBEDDING_UNAVAILABLE", ". It asks for a wait of 1 s");
  EXPECT_EQ(result_->retry_after, Milliseconds(250));
}

TEST_F(VectorSearchHttp, AnAnswerThatIsNoSuchVectorIsForAPerson) {
  serve_answer(200, "<html>");
  expect_failure(Type::DependencyError, "EMBEDDING_ANSWER_INVALID", "is not JSON");
  serve_answer(200, answer_with({1, 0}));
  expect_failure(Type::DependencyError, "EMBEDDING_ANSWER_INVALID",
                 "a vector of 2 dimensions where 3 are configured. An operator must check");
  serve_answer(200, answer_with({0, 0, 0}));
  expect_failure(Type::DependencyError, "EMBEDDING_ANSWER_INVALID", "zeros");
}

TEST_F(VectorSearchHttp, AnAnswerBeyondTheLimitIsRefused) {
  config_.response_bytes_max = 2000;
  const std::string answer = answer_with({0, 0, 0});
  serve_answer(200, answer + std::string(2000 - answer.size(), ' '));
  expect_failure(Type::DependencyError, "EMBEDDING_ANSWER_INVALID", "zeros");  // it was read
  serve_answer(200, answer + std::string(2001 - answer.size(), ' '));
  expect_failure(Type::DependencyError, "EMBEDDING_ANSWER_TOO_LARGE", "larger than 2000 bytes");
}

TEST_F(VectorSearchHttp, WhatBreaksOffOrIsNotThereMayBeTriedAgain) {
  serve([](Connection& connection, const Request&) { connection.reset(); });
  expect_failure(Type::TransientError, "EMBEDDING_UNREACHABLE", "broke off");
  boost::asio::ip::tcp::acceptor nobody(loop_.io, {boost::asio::ip::address_v4::loopback(), 0});
  config_.base_url = "http://127.0.0.1:" + std::to_string(nobody.local_endpoint().port());
  nobody.close();
  tool_.reset();
  expect_failure(Type::TransientError, "EMBEDDING_UNREACHABLE", "base_url");
}

TEST_F(VectorSearchHttp, EachEndOfARequestIsOfAnErrorType) {
  const auto failed = [&](ErrorCode code, Retry retry = Retry::Never) {
    Error error;
    error.code = code;
    error.retry = retry;
    error.message = "words of a library";
    const ToolError told =
        *http_service::service_failure(kEmbeddingService, error, config_.response_bytes_max).error;
    EXPECT_THAT(told.message, Not(HasSubstr("words of a library")));
    return std::pair(told.type, told.code);
  };
  using Told = std::pair<Type, std::string>;
  EXPECT_EQ(failed(ErrorCode::Timeout), Told(Type::TransientError, "EMBEDDING_UNREACHABLE"));
  EXPECT_EQ(failed(ErrorCode::Authentication),
            Told(Type::DependencyError, "EMBEDDING_CERTIFICATE_REFUSED"));
  EXPECT_EQ(failed(ErrorCode::Protocol), Told(Type::DependencyError, "EMBEDDING_NOT_HTTP"));
  EXPECT_EQ(failed(ErrorCode::InvalidArgument),
            Told(Type::DependencyError, "EMBEDDING_MISCONFIGURED"));
  EXPECT_EQ(failed(ErrorCode::LimitExceeded, Retry::Later),
            Told(Type::ResourceError, "EMBEDDING_BUSY"));
  EXPECT_EQ(failed(ErrorCode::Corrupt), Told(Type::InternalError, "EMBEDDING_FAILED"));
}

TEST_F(VectorSearchHttp, NoSecretIsInWhatAModelReads) {
  config_.api_key = Secret("hunter2");
  source_.url = "postgresql://hunter3:hunter4@127.0.0.1:1/hunter5";
  for (const int status : {200, 302, 400, 401, 404, 429, 500}) {
    serve([status](Connection& connection, const Request& request) {
      connection.answer(status, request.head, "Location: /hunter2\r\n");  // what it was told
    });
    EXPECT_THAT(error_of(search("q")).message, Not(HasSubstr("hunter")));
    EXPECT_THAT(stub_.requests.back().head, HasSubstr("Bearer hunter2\r\n"));
  }
  serve_answer(200, answer_with({1, 0, 0}));
  const ToolError unreachable = error_of(search("q"));
  EXPECT_EQ(unreachable.code, "CONNECTION_FAILED");
  EXPECT_EQ(unreachable.type, Type::TransientError);
  EXPECT_THAT(unreachable.message, Not(HasSubstr("hunter")));
}

TEST_F(VectorSearchHttp, ATimeoutEndsTheRequestAndSaysSo) {
  timeout_ = Milliseconds(50);
  serve([](Connection&, const Request&) {});
  const auto run = start("q");
  ASSERT_TRUE(loop_.run_until([&] { return result_.has_value(); }));
  EXPECT_EQ(error_of(*result_),
            (ToolError{Type::Timeout, "TIMEOUT", "Tool execution timed out after 50ms"}));
  EXPECT_TRUE(loop_.run_until([&] { return stub_.open_connections() == 0; }));
}

TEST_F(VectorSearchHttp, ADestroyedRunClosesItsConnection) {
  serve([](Connection& connection, const Request&) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
  });
  auto run = start("q");
  ASSERT_TRUE(loop_.run_until([&] { return stub_.requests.size() == 1; }));
  EXPECT_EQ(stub_.open_connections(), 1);
  run.reset();
  EXPECT_TRUE(loop_.run_until([&] { return stub_.open_connections() == 0; }));
  EXPECT_FALSE(result_);
}

}  // namespace
}  // namespace ba::vector
