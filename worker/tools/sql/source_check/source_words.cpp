// SPDX-License-Identifier: Apache-2.0
// What is said of a data source that was looked at, or that couldn't be.
#include <utility>

#include "pipeline/text/secret/secret.hpp"
#include "storage/libpq/connect_failure.hpp"
#include "storage/libpq/conninfo.hpp"
#include "worker/tools/sql/connection/source_login.hpp"
#include "worker/tools/sql/data_source_check.hpp"
#include "worker/tools/sql/statement/sql_guard.hpp"

namespace ba::sql {
namespace {

/// The server's words on a login, which PgConnection gives without the role.
std::string with_role(std::string words, const std::string& url) {
  const std::string role = storage::conninfo_value(url, "user");
  const std::string shown = storage::is_plain_name(role) ? "\"" + role + "\"" : "\"…\"";
  const std::string mask(kSecretMask);
  for (const std::string before : {"user ", "role "})
    if (const std::size_t at = words.find(before + mask); at != std::string::npos)
      words.replace(at + before.size(), mask.size(), shown);
  if (words.empty()) words = "the role " + shown + " has to give a password";
  return words;
}

std::string name_of(const std::string& source) { return "data source '" + source + "': "; }

}  // namespace

Error data_source_error(const SqlFailure& failure, const std::string& source,
                        const std::string& url) {
  const ToolError told = error_of(failure, source);
  Error error;
  error.code = told.type == ToolErrorType::DependencyError  ? ErrorCode::Authentication
               : told.type == ToolErrorType::TransientError ? ErrorCode::Unavailable
                                                            : ErrorCode::Internal;
  error.retry = error.code == ErrorCode::Unavailable ? Retry::Later : Retry::Never;
  error.message = told.message;
  if (failure.sqlstate.starts_with("28"))
    error.message += ": " + with_role(failure.refusal, url);
  else if (!failure.refusal.empty())
    error.message += ": " + failure.refusal;
  if (told.code == "NO_DATABASE") error.code = ErrorCode::NotFound;
  if (failure.refusal.starts_with("permission denied")) error.code = ErrorCode::PermissionDenied;
  error.detail = told.code;
  return error;
}

std::string statement_about(const DataSourceFacts& facts) {
  std::string words = "PostgreSQL " + std::to_string(facts.server_major);
  if (facts.server_major > kParserMajor)
    words += " (statements are read by the grammar of " + std::to_string(kParserMajor) +
             ", newer syntax is refused)";
  return words + ", read only, " + facts.protection;
}

std::vector<std::string> findings_about(const DataSourceFacts& facts) {
  std::vector<std::string> findings;
  if (facts.superuser)
    findings.push_back(
        "the login role is a superuser; statements are refused. Give it a role of its own with "
        "SELECT only");
  for (const SourceHindrance& one : facts.hindrances) findings.push_back(one.text());
  if (facts.superuser) return findings;
  for (const std::string& right : facts.excess_rights)
    findings.push_back("the login role " + right);
  for (const std::string& line : facts.idle_settings) findings.push_back(line);
  return findings;
}

std::vector<std::string> warnings_about(const DataSourceConfig& source,
                                        const DataSourceFacts& facts) {
  std::vector<std::string> warnings = findings_about(facts);
  for (std::string& line : warnings) line = name_of(source.name) + line;
  return warnings;
}

Result<std::vector<std::string>> lacks_for_writing(const WriteSourceConfig& source) {
  auto facts = inspect_writing(source);
  if (!facts) return facts.error();
  for (std::string& line : facts->lacks) line = name_of(source.name) + line;
  return std::move(facts->lacks);
}

}  // namespace ba::sql
