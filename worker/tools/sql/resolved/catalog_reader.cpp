// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/catalog_reader.hpp"

#include <utility>

#include "worker/tools/sql/connection/session_settings.hpp"

namespace ba {
namespace {

using Message = PgConnection::Message;
using Kind = PgConnection::Message::Kind;

constexpr const char* kNoJit = "SET LOCAL jit = off";  ///< compiling would take longer than asking
/// Behind a pool the printing of a statement may be on.
constexpr const char* kPrintNothing = "SET LOCAL debug_print_rewritten = off";

}  // namespace

void CatalogReader::reset(bool pooled, std::map<std::string, std::string> questions) {
  pooled_ = pooled;
  questions_ = std::move(questions);
}

std::vector<Message> CatalogReader::preparing() const {
  std::vector<Message> messages{query_message(kCatalogPath)};
  for (const auto& [name, text] : questions_)
    messages.push_back({Kind::Prepare, name, text, {}, {}, false});
  return messages;
}

PgConnection::Failure CatalogReader::ask(const std::vector<CatalogQuery>& questions,
                                         const std::vector<Message>& opening,
                                         Clock::time_point deadline,
                                         const Cancellation& cancellation, RowSink& sink) {
  std::vector<Message> messages;
  for (const CatalogQuery& question : questions) messages.push_back(message_of(question));
  return enclosed(opening, messages, deadline, cancellation, sink);
}

PgConnection::Failure CatalogReader::ask(const std::string& sql, Clock::time_point deadline,
                                         const Cancellation& cancellation, RowSink& sink) {
  return enclosed({query_message("BEGIN READ ONLY")}, {{Kind::Query, "", sql, {}, {}, true}},
                  deadline, cancellation, sink);
}

Message CatalogReader::message_of(const CatalogQuery& question) const {
  if (!pooled_) return {Kind::Execute, question.name, {}, question.parameters, {}, true};
  return {Kind::Query, "", questions_.at(question.name), question.parameters, {}, true};
}

/// What is set after the savepoint goes with it.
PgConnection::Failure CatalogReader::enclosed(std::vector<Message> opening,
                                              const std::vector<Message>& questions,
                                              Clock::time_point deadline,
                                              const Cancellation& cancellation, RowSink& sink) {
  const bool within = connection_.in_transaction();
  std::vector<Message> messages{query_message("SAVEPOINT ba_facts")};
  if (!within) messages = std::move(opening);
  messages.push_back(query_message(kCatalogPath));
  messages.push_back(query_message(kNoJit));
  if (pooled_) messages.push_back(query_message(kPrintNothing));
  messages.insert(messages.end(), questions.begin(), questions.end());
  messages.push_back(query_message(within ? "ROLLBACK TO SAVEPOINT ba_facts" : "ROLLBACK"));
  return connection_.batch(messages, deadline, cancellation, &sink);
}

}  // namespace ba
