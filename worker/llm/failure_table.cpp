// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/failure_table.hpp"

#include <algorithm>
#include <array>

#include "pipeline/base/lower_case.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba::llm {
namespace {

struct StatusRow {
  int status;
  ErrorCode code;
  Retry retry;
  bool maybe_done;  ///< a gateway gave up waiting: the model may have answered, and been paid
};

constexpr std::array<StatusRow, 17> kStatuses{{
    {400, ErrorCode::InvalidArgument, Retry::Never, false},
    {401, ErrorCode::Authentication, Retry::Never, false},
    {402, ErrorCode::LimitExceeded, Retry::Never, false},
    {403, ErrorCode::PermissionDenied, Retry::Never, false},
    {404, ErrorCode::NotFound, Retry::Never, false},
    {408, ErrorCode::Timeout, Retry::Later, false},
    {409, ErrorCode::Conflict, Retry::Later, false},
    {413, ErrorCode::LimitExceeded, Retry::Never, false},
    {422, ErrorCode::InvalidArgument, Retry::Never, false},
    {429, ErrorCode::RateLimited, Retry::Later, false},
    {500, ErrorCode::Unavailable, Retry::Later, false},
    {502, ErrorCode::Unavailable, Retry::Later, true},
    {503, ErrorCode::Unavailable, Retry::Later, false},
    {504, ErrorCode::Timeout, Retry::Later, true},
    {522, ErrorCode::Unavailable, Retry::Later, false},
    {524, ErrorCode::Timeout, Retry::Later, true},
    {529, ErrorCode::Overloaded, Retry::Later, false},
}};

/// Types, codes and exceptions as servers name them, in lower case and without marks.
struct WordRow {
  std::string_view word;
  int status;
};

constexpr auto kWords = std::to_array<WordRow>({
    // Anthropic, OpenAI
    {"invalidrequesterror", 400},
    {"invalidprompt", 400},
    {"invalidencryptedcontent", 400},
    {"contextlengthexceeded", 400},
    {"authenticationerror", 401},
    {"invalidapikey", 401},  // DashScope too
    {"billingerror", 402},
    {"permissionerror", 403},
    {"notfounderror", 404},  // vLLM, SGLang too
    {"modelnotfound", 404},
    {"requesttoolarge", 413},
    {"ratelimiterror", 429},
    {"ratelimitexceeded", 429},
    {"requests", 429},
    {"tokens", 429},
    {"insufficientquota", 429},
    {"apierror", 500},
    {"servererror", 500},
    {"unavailableerror", 503},
    {"timeouterror", 504},
    {"overloadederror", 529},
    {"serverisoverloaded", 529},
    {"slowdown", 529},
    // vLLM, SGLang
    {"badrequesterror", 400},
    {"permissiondeniederror", 403},
    {"internalservererror", 500},
    // Gemini: google.rpc.Code
    {"invalidargument", 400},
    {"failedprecondition", 400},
    {"outofrange", 400},
    {"unauthenticated", 401},
    {"permissiondenied", 403},
    {"notfound", 404},
    {"resourceexhausted", 429},
    {"internal", 500},
    {"unavailable", 503},
    {"deadlineexceeded", 504},
    // Bedrock
    {"validationexception", 400},
    {"accessdeniedexception", 403},
    {"resourcenotfoundexception", 404},
    {"throttlingexception", 429},
    {"internalserverexception", 500},
    {"modelstreamerrorexception", 500},
    {"serviceunavailableexception", 503},
    {"modelnotreadyexception", 503},
    {"modeltimeoutexception", 504},
    // DashScope
    {"invalidparameter", 400},
    {"datainspectionfailed", 400},
    {"arrearage", 402},
    {"accessdenied", 403},
    {"throttling", 429},
    {"throttlingratequota", 429},
    {"throttlingallocationquota", 429},
    {"throttlingburstrate", 429},
    {"internalerror", 500},
    // Moonshot
    {"invalidauthenticationerror", 401},
    {"exceededcurrentquotaerror", 429},
    {"ratelimitreachederror", 429},
    {"engineoverloadederror", 529},
});

/// Words that say that the money is spent: waiting does not help.
constexpr std::array<std::string_view, 10> kSpent{"enforcedspendlimitreached",
                                                  "contractspendlimitreached",
                                                  "insufficientquota",
                                                  "creditbalanceexhausted",
                                                  "billinghardlimitreached",
                                                  "billingnotactive",
                                                  "exceededcurrentquotaerror",
                                                  "insufficientbalance",
                                                  "arrearage",
                                                  "1113"};  // Z.ai

/// In lower case, without what stands between the words.
std::string plain_word(std::string_view word) {
  std::string plain = lower_case(word);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-' || c == '.' || c == ' '; });
  return plain;
}

/// The same in sentences, in lower case.
bool says_spent(const ProviderFailure& failure) {
  if (failure.status != 402 && failure.status != 403 && failure.status != 429) return false;
  const std::string lower = lower_case(failure.message);
  return lower.find("insufficient balance") != lower.npos ||
         lower.find("please recharge") != lower.npos;
}

bool spent(std::string_view word) {
  return std::ranges::find(kSpent, plain_word(word)) != kSpent.end();
}

StatusRow row_of(int status) {
  for (const StatusRow& row : kStatuses)
    if (row.status == status) return row;
  if (status >= 500) return {status, ErrorCode::Unavailable, Retry::Later, false};
  if (status >= 400) return {status, ErrorCode::InvalidArgument, Retry::Never, false};
  return {status, ErrorCode::Protocol, Retry::Never, false};
}

}  // namespace

Error error_of(const ProviderFailure& failure) {
  const StatusRow row = row_of(failure.status);
  Error error;
  error.code = row.code;
  error.retry = row.retry;
  error.maybe_done = row.maybe_done;
  if (spent(failure.code) || spent(failure.type) || says_spent(failure)) {
    error.code = ErrorCode::LimitExceeded;
    error.retry = Retry::Never;
  }
  if (error.retry == Retry::Later) error.retry_after = failure.wait;
  const std::string& finest = failure.code.empty() ? failure.type : failure.code;
  error.detail = std::to_string(failure.status) + (finest.empty() ? "" : " " + finest);
  error.message = "HTTP " + error.detail;
  if (failure.status >= 300 && failure.status < 400)
    error.message += ": redirects are not followed; base_url must be the final address";
  if (!failure.message.empty()) error.message += ": " + failure.message;
  return error;
}

std::optional<int> status_of_error_word(std::string_view word) {
  const auto row = std::ranges::find(kWords, plain_word(word), &WordRow::word);
  if (row == kWords.end()) return std::nullopt;
  return row->status;
}

int status_of_error_words(const ProviderFailure& failure) {
  constexpr int kUnknown = 500;
  if (const auto status = status_of_error_word(failure.type)) return *status;
  return status_of_error_word(failure.code).value_or(kUnknown);
}

std::string readable(std::string_view text) {
  constexpr std::size_t kBytesMax = 300;
  std::string line(text.substr(0, std::min(text.size(), kBytesMax)));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  if (const auto defect = utf8_defect(line)) line.resize(*defect);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (text.size() > kBytesMax) line += "…";
  return line;
}

}  // namespace ba::llm
