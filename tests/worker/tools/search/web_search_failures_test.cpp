// SPDX-License-Identifier: Apache-2.0
// What a model reads of searches that fail.
#include <boost/asio/ip/tcp.hpp>

#include "tests/worker/tools/search/search_fixture.hpp"
#include "worker/tools/search/search_request.hpp"

namespace ba::search {
namespace {

using Type = ToolErrorType;
using ::testing::HasSubstr;
using ::testing::Not;

class WebSearchFailuresTest : public WebSearchTest {
 protected:
  void expect_failure(Type type, const std::string& code, const std::string& words) {
    const RawToolResult result = search();
    const ToolError error = error_of(result);
    EXPECT_EQ(error.type, type) << error.message;
    EXPECT_EQ(error.code, code);
    EXPECT_THAT(error.message, HasSubstr(words));
    EXPECT_EQ(result.data, "");
  }
};

struct StatusCase {
  int status;
  Type type;
  const char* code;
  const char* remedy;
};

TEST_F(WebSearchFailuresTest, EachStatusIsOfAnErrorType) {
  for (const StatusCase& row : {
           StatusCase{302, Type::DependencyError, "SEARCH_REDIRECTED", "base_url"},
           StatusCase{400, Type::InvalidParameters, "SEARCH_REFUSED", "change query"},
           StatusCase{401, Type::DependencyError, "SEARCH_UNAUTHORIZED", "api_key"},
           StatusCase{402, Type::DependencyError, "SEARCH_UNPAID", "account"},
           StatusCase{403, Type::DependencyError, "SEARCH_UNAUTHORIZED", "search.formats"},
           StatusCase{404, Type::DependencyError, "SEARCH_ADDRESS_WRONG", "path"},
           StatusCase{405, Type::DependencyError, "SEARCH_ADDRESS_WRONG", "method"},
           StatusCase{407, Type::DependencyError, "SEARCH_UNAUTHORIZED", "proxy"},
           StatusCase{408, Type::TransientError, "SEARCH_UNAVAILABLE", "later"},
           StatusCase{414, Type::InvalidParameters, "SEARCH_REFUSED", "shorten query"},
           StatusCase{422, Type::InvalidParameters, "SEARCH_REFUSED", "change query"},
           StatusCase{429, Type::RateLimit, "SEARCH_RATE_LIMITED", "wait"},
           StatusCase{500, Type::TransientError, "SEARCH_UNAVAILABLE", "later"},
           StatusCase{503, Type::TransientError, "SEARCH_UNAVAILABLE", "later"},
           StatusCase{599, Type::TransientError, "SEARCH_UNAVAILABLE", "later"},
           StatusCase{799, Type::DependencyError, "SEARCH_ADDRESS_WRONG", "base_url"},
       }) {
    SCOPED_TRACE(row.status);
    serve_answer(row.status, R"({"results":[]})", "Location: /elsewhere\r\n");
    expect_failure(row.type, row.code, row.remedy);
    EXPECT_THAT(result_->error->message, HasSubstr("HTTP status " + std::to_string(row.status)));
  }
  EXPECT_EQ(stub_.requests.size(), 16u);  // no redirect was followed, nothing asked twice
}

TEST_F(WebSearchFailuresTest, AServiceThatIsBusySaysWhenToComeAgain) {
  for (const int status : {429, 503}) {
    serve_answer(status, "", "Retry-After: 7\r\n");
    const RawToolResult busy = search();
    EXPECT_EQ(busy.retry_after, Milliseconds(7000)) << status;
    EXPECT_THAT(error_of(busy).message, testing::EndsWith(". It asks for a wait of 7 s"));
  }
  serve_answer(429, "",
               "Date: Sun, 22 Nov 2026 00:00:10 GMT\r\n"
               "Retry-After: Sun, 22 Nov 2026 00:00:30 GMT\r\n");
  EXPECT_EQ(search().retry_after, Milliseconds(20'000));
  serve_answer(403, "", "Retry-After: 7\r\n");
  EXPECT_EQ(search().retry_after, std::nullopt) << "coming again changes nothing";
  serve_answer(429, "", "Retry-After: soon hunter2\r\n");
  EXPECT_EQ(search().retry_after, std::nullopt);
}

TEST_F(WebSearchFailuresTest, AnAnswerBeyondTheLimitIsRefused) {
  config_.response_bytes_max = 2000;
  const auto answer = [](std::size_t bytes) {
    const std::string rest = R"({"results":[]})";
    return rest + std::string(bytes - rest.size(), ' ');
  };
  serve_answer(200, answer(2000));
  EXPECT_EQ(search().data, "[]");
  serve_answer(200, answer(2001));
  expect_failure(Type::DependencyError, "SEARCH_ANSWER_TOO_LARGE", "larger than 2000 bytes");
}

TEST_F(WebSearchFailuresTest, ALongBodyOfAnErrorChangesNothing) {
  config_.response_bytes_max = 2000;
  serve_answer(500, std::string(1'000'000, 'x'));
  expect_failure(Type::TransientError, "SEARCH_UNAVAILABLE", "500");
}

TEST_F(WebSearchFailuresTest, AnAnswerThatBreaksOffMayBeAskedForAgain) {
  serve_bytes("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"results\":[");
  expect_failure(Type::TransientError, "SEARCH_UNREACHABLE", "broke off");
  serve([](Connection& connection, const Request&) { connection.reset(); });
  expect_failure(Type::TransientError, "SEARCH_UNREACHABLE", "broke off");
}

TEST_F(WebSearchFailuresTest, AnAnswerThatIsntJsonOrNotHttpIsForAPerson) {
  serve_answer(200, "<html>Search</html>");
  expect_failure(Type::DependencyError, "SEARCH_ANSWER_INVALID", "is not JSON");
  serve_answer(200, R"({"results":[{"url":"http)");
  expect_failure(Type::DependencyError, "SEARCH_ANSWER_INVALID", "is not JSON");
  serve_answer(200, "");
  expect_failure(Type::DependencyError, "SEARCH_ANSWER_INVALID", "is not JSON");
}

TEST_F(WebSearchFailuresTest, ANobodyAtTheAddressMayComeBack) {
  boost::asio::ip::tcp::acceptor nobody(loop_.io, {boost::asio::ip::address_v4::loopback(), 0});
  config_.base_url = "http://127.0.0.1:" + std::to_string(nobody.local_endpoint().port());
  nobody.close();
  expect_failure(Type::TransientError, "SEARCH_UNREACHABLE", "base_url");
}

TEST_F(WebSearchFailuresTest, EachEndOfARequestIsOfAnErrorType) {
  const auto failed = [&](ErrorCode code, Retry retry = Retry::Never) {
    Error error;
    error.code = code;
    error.retry = retry;
    error.message = "words of a library";
    const ToolError told =
        *http_service::service_failure(kSearchService, error, config_.response_bytes_max).error;
    EXPECT_THAT(told.message, Not(HasSubstr("words of a library")));
    return std::pair(told.type, told.code);
  };
  using Told = std::pair<Type, std::string>;
  EXPECT_EQ(failed(ErrorCode::Unavailable), Told(Type::TransientError, "SEARCH_UNREACHABLE"));
  EXPECT_EQ(failed(ErrorCode::Timeout), Told(Type::TransientError, "SEARCH_UNREACHABLE"));
  EXPECT_EQ(failed(ErrorCode::Authentication),
            Told(Type::DependencyError, "SEARCH_CERTIFICATE_REFUSED"));
  EXPECT_EQ(failed(ErrorCode::Protocol), Told(Type::DependencyError, "SEARCH_NOT_HTTP"));
  EXPECT_EQ(failed(ErrorCode::InvalidArgument),
            Told(Type::DependencyError, "SEARCH_MISCONFIGURED"));
  EXPECT_EQ(failed(ErrorCode::LimitExceeded),
            Told(Type::DependencyError, "SEARCH_ANSWER_TOO_LARGE"));
  EXPECT_EQ(failed(ErrorCode::LimitExceeded, Retry::Later),
            Told(Type::ResourceError, "SEARCH_BUSY"));
  EXPECT_EQ(failed(ErrorCode::Corrupt), Told(Type::InternalError, "SEARCH_FAILED"));
}

TEST_F(WebSearchFailuresTest, NoSecretIsInWhatAModelReads) {
  config_.api_key = Secret("hunter2");
  config_.headers["X-Also"] = Secret("hunter3");
  config_.parameters.fixed["key"] = "hunter4";
  const auto expect_none = [&] {
    const RawToolResult result = search();
    const std::string told = result.data + (result.error ? result.error->message : "");
    EXPECT_FALSE(told.empty());
    EXPECT_THAT(told, Not(HasSubstr("hunter")));
  };
  for (const int status : {200, 302, 400, 401, 403, 404, 429, 500}) {
    serve([status](Connection& connection, const Request& request) {
      connection.answer(status, request.head, "Location: /hunter2\r\n");  // what it was told
    });
    expect_none();
    EXPECT_THAT(stub_.requests.back().head, HasSubstr("hunter2"));
    EXPECT_THAT(stub_.requests.back().head, HasSubstr("hunter3"));
    EXPECT_THAT(stub_.requests.back().head, HasSubstr("key=hunter4"));
  }
  serve([](Connection& connection, const Request&) { connection.reset(); });
  expect_none();
  const ToolDescriptor& descriptor = tool().descriptor();
  EXPECT_THAT(descriptor.description + descriptor.parameters_schema, Not(HasSubstr("hunter")));
}

}  // namespace
}  // namespace ba::search
