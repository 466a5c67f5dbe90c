// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/failure_table.hpp"

#include <algorithm>
#include <array>

#include "pipeline/message/utf8.hpp"

namespace ba {
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

/// Types, and the codes that stand without one in a failed response.
constexpr std::array<std::pair<std::string_view, int>, 21> kTypes{{
    {"invalid_request_error", 400},
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
}};

/// Codes that say that the money is spent: waiting does not help.
constexpr std::array<std::string_view, 6> kSpent{
    "enforced_spend_limit_reached", "contract_spend_limit_reached", "insufficient_quota",
    "credit_balance_exhausted",     "billing_hard_limit_reached",   "billing_not_active"};

bool spent(std::string_view code) {
  return std::find(kSpent.begin(), kSpent.end(), code) != kSpent.end();
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
  if (spent(failure.code) || spent(failure.type)) {
    error.code = ErrorCode::LimitExceeded;
    error.retry = Retry::Never;
  }
  const std::string& finest = failure.code.empty() ? failure.type : failure.code;
  error.detail = std::to_string(failure.status) + (finest.empty() ? "" : " " + finest);
  error.message = "HTTP " + error.detail;
  if (failure.status >= 300 && failure.status < 400)
    error.message += ": redirects are not followed; base_url must be the final address";
  if (!failure.message.empty()) error.message += ": " + failure.message;
  return error;
}

int status_of_error_type(std::string_view type) {
  for (const auto& [name, status] : kTypes)
    if (name == type) return status;
  return 500;
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

}  // namespace ba
