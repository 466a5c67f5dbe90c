// SPDX-License-Identifier: Apache-2.0
// The tables of the model adapters, row by row: statuses, retry headers, prices.
#include <gtest/gtest.h>

#include "worker/http/retry_wait.hpp"
#include "worker/llm/failure_table.hpp"
#include "worker/llm/llm_provider.hpp"
#include "worker/llm/reply_checks.hpp"
#include "worker/llm/tool_id.hpp"

namespace ba::llm {
namespace {

TEST(FailureTable, MapsEachStatus) {
  struct Row {
    int status;
    ErrorCode code;
    Retry retry;
    bool maybe_done;
  };
  const std::vector<Row> rows = {{302, ErrorCode::Protocol, Retry::Never, false},
                                 {400, ErrorCode::InvalidArgument, Retry::Never, false},
                                 {401, ErrorCode::Authentication, Retry::Never, false},
                                 {402, ErrorCode::LimitExceeded, Retry::Never, false},
                                 {403, ErrorCode::PermissionDenied, Retry::Never, false},
                                 {404, ErrorCode::NotFound, Retry::Never, false},
                                 {408, ErrorCode::Timeout, Retry::Later, false},
                                 {409, ErrorCode::Conflict, Retry::Later, false},
                                 {413, ErrorCode::LimitExceeded, Retry::Never, false},
                                 {418, ErrorCode::InvalidArgument, Retry::Never, false},
                                 {422, ErrorCode::InvalidArgument, Retry::Never, false},
                                 {429, ErrorCode::RateLimited, Retry::Later, false},
                                 {500, ErrorCode::Unavailable, Retry::Later, false},
                                 {502, ErrorCode::Unavailable, Retry::Later, true},
                                 {503, ErrorCode::Unavailable, Retry::Later, false},
                                 {504, ErrorCode::Timeout, Retry::Later, true},
                                 {522, ErrorCode::Unavailable, Retry::Later, false},
                                 {524, ErrorCode::Timeout, Retry::Later, true},
                                 {529, ErrorCode::Overloaded, Retry::Later, false},
                                 {599, ErrorCode::Unavailable, Retry::Later, false},
                                 {204, ErrorCode::Protocol, Retry::Never, false}};
  for (const Row& row : rows) {
    const Error error = error_of({row.status, "t", "", "m"});
    EXPECT_EQ(error.code, row.code) << row.status;
    EXPECT_EQ(error.retry, row.retry) << row.status;
    EXPECT_EQ(error.maybe_done, row.maybe_done) << row.status;
    EXPECT_EQ(error.detail, std::to_string(row.status) + " t");
  }
}

TEST(FailureTable, KnowsTheTypesThatStandForAStatus) {
  const std::vector<std::pair<std::string, int>> rows = {{"invalid_request_error", 400},
                                                         {"invalid_prompt", 400},
                                                         {"invalid_encrypted_content", 400},
                                                         {"context_length_exceeded", 400},
                                                         {"authentication_error", 401},
                                                         {"billing_error", 402},
                                                         {"permission_error", 403},
                                                         {"not_found_error", 404},
                                                         {"request_too_large", 413},
                                                         {"rate_limit_error", 429},
                                                         {"rate_limit_exceeded", 429},
                                                         {"requests", 429},
                                                         {"tokens", 429},
                                                         {"insufficient_quota", 429},
                                                         {"api_error", 500},
                                                         {"server_error", 500},
                                                         {"unavailable_error", 503},
                                                         {"timeout_error", 504},
                                                         {"overloaded_error", 529},
                                                         {"server_is_overloaded", 529},
                                                         {"slow_down", 529},
                                                         {"invalid_api_key", 401},
                                                         {"InvalidApiKey", 401},
                                                         {"model_not_found", 404},
                                                         {"BadRequestError", 400},
                                                         {"PermissionDeniedError", 403},
                                                         {"InternalServerError", 500},
                                                         {"INVALID_ARGUMENT", 400},
                                                         {"FAILED_PRECONDITION", 400},
                                                         {"OUT_OF_RANGE", 400},
                                                         {"UNAUTHENTICATED", 401},
                                                         {"PERMISSION_DENIED", 403},
                                                         {"NOT_FOUND", 404},
                                                         {"RESOURCE_EXHAUSTED", 429},
                                                         {"INTERNAL", 500},
                                                         {"UNAVAILABLE", 503},
                                                         {"DEADLINE_EXCEEDED", 504},
                                                         {"ValidationException", 400},
                                                         {"AccessDeniedException", 403},
                                                         {"ResourceNotFoundException", 404},
                                                         {"ThrottlingException", 429},
                                                         {"InternalServerException", 500},
                                                         {"ModelStreamErrorException", 500},
                                                         {"ServiceUnavailableException", 503},
                                                         {"ModelNotReadyException", 503},
                                                         {"ModelTimeoutException", 504},
                                                         {"InvalidParameter", 400},
                                                         {"DataInspectionFailed", 400},
                                                         {"Arrearage", 402},
                                                         {"AccessDenied", 403},
                                                         {"Throttling", 429},
                                                         {"Throttling.RateQuota", 429},
                                                         {"Throttling.AllocationQuota", 429},
                                                         {"Throttling.BurstRate", 429},
                                                         {"InternalError", 500},
                                                         {"invalid_authentication_error", 401},
                                                         {"exceeded_current_quota_error", 429},
                                                         {"rate_limit_reached_error", 429},
                                                         {"engine_overloaded_error", 529}};
  for (const auto& [word, status] : rows) {
    EXPECT_EQ(status_of_error_word(word), status) << word;
    EXPECT_EQ(status_of_error_words({0, word, "", ""}), status) << word;
    EXPECT_EQ(status_of_error_words({0, "", word, ""}), status) << word;
  }
  EXPECT_FALSE(status_of_error_word("never_heard_of"));
  EXPECT_EQ(status_of_error_words({0, "never_heard_of", "", ""}), 500);
}

TEST(FailureTable, NeverRetriesWhenTheMoneyIsSpent) {
  for (const char* code :
       {"enforced_spend_limit_reached", "contract_spend_limit_reached", "insufficient_quota",
        "credit_balance_exhausted", "billing_hard_limit_reached", "billing_not_active",
        "exceeded_current_quota_error", "insufficient_balance", "Arrearage", "1113"}) {
    const Error error = error_of({429, "rate_limit_error", code, ""});
    EXPECT_EQ(error.code, ErrorCode::LimitExceeded) << code;
    EXPECT_EQ(error.retry, Retry::Never) << code;
  }
  EXPECT_EQ(error_of({429, "rate_limit_error", "ramp_limit_exceeded", ""}).retry, Retry::Later);
  EXPECT_EQ(error_of({429, "", "", "Insufficient balance. Please recharge."}).retry, Retry::Never);
}

TEST(FailureTable, CutsForeignTextsToOneReadableLine) {
  EXPECT_EQ(readable("a\nb\x1b[31m \n"), "a b [31m");
  EXPECT_EQ(readable(std::string(299, 'x') + "é"), std::string(299, 'x') + "…");
}

const WallTime kNow = std::chrono::sys_days(std::chrono::year(2026) / 11 / 22);  // 00:00:00

TEST(LlmRetryRules, ReadsRetryAfterInEachForm) {
  const std::vector<std::pair<std::string, std::optional<Milliseconds>>> rows = {
      {"2", Milliseconds(2000)},
      {"0.25", Milliseconds(250)},
      {"0", std::nullopt},
      {"-1", std::nullopt},
      {"nan", std::nullopt},
      {"Sun, 22 Nov 2026 00:00:30 GMT", Milliseconds(30'000)},
      {"Sat, 21 Nov 2026 23:59:00 GMT", std::nullopt},
      {"Sun, 22 Nov 2026", std::nullopt},
      {"soon", std::nullopt},
      {"", std::nullopt},
      {"30s", Milliseconds(30'000)},
      {"1m0s", Milliseconds(60'000)},
      {"1e300", Milliseconds(1'000'000'000'000)}};
  for (const auto& [text, wait] : rows)
    EXPECT_EQ(http::parse_retry_after(text, kNow), wait) << text;
}

TEST(LlmRetryRules, ReadsTheDateOfAWaitByTheServersOwnClock) {
  const std::pair<std::string, std::string> until{"retry-after", "Sun, 22 Nov 2026 00:00:30 GMT"};
  EXPECT_EQ(http::asked_wait({429, {until, {"date", "Sun, 22 Nov 2026 00:00:10 GMT"}}}),
            Milliseconds(20'000));
  EXPECT_EQ(http::asked_wait({429, {until, {"date", "Sun, 22 Nov 2026 00:00:30 GMT"}}}),
            std::nullopt);
  EXPECT_EQ(http::asked_wait({429, {until}}), std::nullopt);
  EXPECT_EQ(http::asked_wait({429, {{"retry-after", "2"}}}), Milliseconds(2000));
  EXPECT_EQ(http::asked_wait({429, {{"retry-after-ms", "7"}, {"retry-after", "2"}}}),
            Milliseconds(7));
  EXPECT_EQ(http::asked_wait({429, {}}), std::nullopt);
}

TEST(LlmRetryRules, FollowsTheProvidersHeaders) {
  const auto apply = [](int status, http::HttpHead head) {
    head.status = status;
    Error error = error_of({status, "", "", ""});
    apply_retry_headers(error, head, kNow);
    return error;
  };
  EXPECT_EQ(apply(429, {0, {{"retry-after-ms", "120.5"}, {"retry-after", "9"}}}).retry_after,
            Milliseconds(121));
  EXPECT_EQ(apply(429, {0, {{"retry-after", "9"}}}).retry_after, Milliseconds(9000));
  Error told = error_of({429, "", "", "", Milliseconds(5)});
  apply_retry_headers(told, {429, {}}, kNow);
  EXPECT_EQ(told.retry_after, Milliseconds(5)) << "what the body told stays";
  apply_retry_headers(told, {429, {{"retry-after", "2"}}}, kNow);
  EXPECT_EQ(told.retry_after, Milliseconds(2000));
  EXPECT_EQ(apply(400, {0, {{"x-should-retry", "true"}}}).retry, Retry::Later);
  EXPECT_EQ(apply(500, {0, {{"x-should-retry", "false"}}}).retry, Retry::Never);
  EXPECT_EQ(apply(413, {0, {{"x-should-retry", "true"}}}).retry, Retry::Never);
}

TEST(LlmRetryRules, BacksOffExponentiallyWithJitter) {
  LlmRetry retry;
  const Error error = error_of({500, "", "", ""});
  EXPECT_EQ(llm_retry_delay(retry, error, 1, 0), Milliseconds(500));
  EXPECT_EQ(llm_retry_delay(retry, error, 3, 0), Milliseconds(2000));
  EXPECT_EQ(llm_retry_delay(retry, error, 30, 0), retry.max_delay);
  EXPECT_EQ(llm_retry_delay(retry, error, 1, ~std::uint64_t{0}), Milliseconds(375));
  EXPECT_EQ(llm_retry_delay(retry, error_of({529, "", "", ""}), 1, 0), Milliseconds(2000));
  Error asked = error;
  asked.retry_after = Milliseconds(7);
  EXPECT_EQ(llm_retry_delay(retry, asked, 5, 99), Milliseconds(7));
  EXPECT_EQ(http::spread(Milliseconds(1000), 0.25, 0), Milliseconds(1000));
  EXPECT_EQ(http::spread(Milliseconds(1000), 0.25, ~std::uint64_t{0}), Milliseconds(1250));
}

TEST(Cost, ThePriceListInForceIsTheLastThatHasBegun) {
  ModelConfig model;
  EXPECT_EQ(model.prices_at(WallTime{}), nullptr);
  model.prices = ModelPrices{1, 1, {}, {}, ""};
  const auto day = [](int n) { return WallTime{} + std::chrono::hours(24 * n); };
  model.price_changes = {{day(10), {2, 2, {}, {}, ""}}, {day(20), {3, 3, {}, {}, ""}}};
  EXPECT_EQ(model.prices_at(day(9))->input, 1);
  EXPECT_EQ(model.prices_at(day(10) - Microseconds(1))->input, 1);
  EXPECT_EQ(model.prices_at(day(10))->input, 2);
  EXPECT_EQ(model.prices_at(day(19))->input, 2);
  EXPECT_EQ(model.prices_at(day(20))->input, 3);
  EXPECT_EQ(model.prices_at(day(1000))->input, 3);
}

TEST(Cost, SumsAllKindsOfTokens) {
  ModelPrices prices{3'000'000, 15'000'000, 300'000, 3'750'000, ""};
  EXPECT_EQ(cost_of({1000, 10'000, 2000, 500, 100}, prices), 3000 + 3000 + 7500 + 7500);
  prices.cache_read.reset();
  prices.cache_write.reset();
  EXPECT_EQ(cost_of({0, 1000, 1000, 0, 0}, prices), 6000);
  EXPECT_EQ(cost_of({1, 0, 0, 0, 0}, {499'999, 0, {}, {}, ""}), 0);
  EXPECT_EQ(cost_of({1, 0, 0, 0, 0}, {500'000, 0, {}, {}, ""}), 1);
  EXPECT_GT(cost_of({100'000'000, 100'000'000, 100'000'000, 100'000'000, 0},
                    {10'000'000'000, 10'000'000'000, {}, {}, ""}),
            0);
}

TEST(ToolIds, AreMappedOneToOneForWhoCanNotTakeThem) {
  const std::vector<std::string> ids = {"toolu_01A-b",
                                        "functions.x:0",
                                        "ü",
                                        "a b",
                                        "hex-id_61",
                                        "hex-id_",
                                        "hash-id_61",
                                        "a",
                                        "functions.a_tool_with_a_very_long_name_in_it:10",
                                        "functions.a_tool_with_a_very_long_name_in_it:11"};
  for (const IdRule rule : {IdRule::Word, IdRule::ShortWord, IdRule::NineLettersOrDigits}) {
    std::vector<std::string> wire;
    for (const std::string& id : ids) {
      wire.push_back(wire_tool_id(id, rule));
      EXPECT_EQ(wire_tool_id(id, rule), wire.back()) << "the same in each request";
      const bool ours = wire.back().starts_with("hex-id_") || wire.back().starts_with("hash-id_");
      EXPECT_TRUE(ours || fits(wire.back(), rule)) << id << " as " << wire.back();
      EXPECT_EQ(wire.back().find_first_of(" ü"), std::string::npos) << wire.back();
      EXPECT_LE(wire.back().size(), rule == IdRule::Word ? 64U : 40U) << wire.back();
    }
    std::sort(wire.begin(), wire.end());
    EXPECT_EQ(std::unique(wire.begin(), wire.end()), wire.end());
  }
  EXPECT_EQ(wire_tool_id("toolu_01A-b", IdRule::Word), "toolu_01A-b");
  EXPECT_EQ(wire_tool_id(std::string(64, 'a'), IdRule::Word), std::string(64, 'a'));
  EXPECT_LE(wire_tool_id(std::string(65, 'a'), IdRule::Word).size(), 64U);
  EXPECT_LE(wire_tool_id(std::string(41, 'a'), IdRule::ShortWord).size(), 40U);
  EXPECT_EQ(wire_tool_id("D681PevKs", IdRule::NineLettersOrDigits), "D681PevKs");
  EXPECT_TRUE(fits(wire_tool_id("a", IdRule::NineLettersOrDigits), IdRule::NineLettersOrDigits));
}

TEST(ToolIds, GoBackToTheirAuthorAsTheyAre) {
  WireToolIds ids(IdRule::Word);
  ids.add("functions.x:0", true);
  ids.add("functions.x:1", false);
  EXPECT_EQ(ids.wire("functions.x:0"), "functions.x:0");
  EXPECT_EQ(ids.wire("functions.x:1"), wire_tool_id("functions.x:1", IdRule::Word));
  EXPECT_NE(ids.wire("functions.x:1"), "functions.x:1");
}

TEST(ToolIds, AreEachThereOnceForWhoWantsThat) {
  WireToolIds ids(IdRule::Word);
  std::vector<std::string> wire;
  for (int reply = 0; reply < 3; ++reply) {
    ids.add("call_0", false);
    wire.push_back(ids.wire("call_0"));
    EXPECT_TRUE(wire.back() == "call_0" || wire.back().starts_with("hash-id_")) << wire.back();
    EXPECT_LE(wire.back().size(), 64U);
  }
  EXPECT_EQ(wire.front(), "call_0");
  std::sort(wire.begin(), wire.end());
  EXPECT_EQ(std::unique(wire.begin(), wire.end()), wire.end());
  ids.add("call_0", true);
  EXPECT_EQ(ids.wire("call_0"), "call_0") << "its author knows it";

  WireToolIds of_chat(IdRule::ShortWord);
  of_chat.add("call_0", false);
  of_chat.add("call_0", false);
  EXPECT_EQ(of_chat.wire("call_0"), "call_0") << "there it must be unique in its message only";
}

TEST(ToolNames, AreMadeFitForARequest) {
  EXPECT_EQ(wire_tool_name("query_database"), "query_database");
  EXPECT_EQ(wire_tool_name("functions.query database"), "functions_query_database");
  EXPECT_EQ(wire_tool_name("ü"), "__");
  EXPECT_EQ(wire_tool_name(""), "_");
  EXPECT_EQ(wire_tool_name(std::string(65, 'a')), std::string(64, 'a'));
}

}  // namespace
}  // namespace ba::llm
