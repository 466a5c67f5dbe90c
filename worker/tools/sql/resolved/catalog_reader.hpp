#pragma once
// SPDX-License-Identifier: Apache-2.0
// Puts questions of ours to a data source's catalog: under a search_path of their own, which ends
// with them, within the transaction that is open or in one of their own. Owned by a StatementJudge
// and used by its thread.

#include <map>
#include <string>
#include <vector>

#include "worker/tools/base/cancellation.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/resolved/catalog_facts.hpp"

namespace ba {

class CatalogReader {
 public:
  using Clock = PgConnection::Clock;
  using Failure = PgConnection::Failure;
  using Message = PgConnection::Message;

  /// `connection` outlives it.
  explicit CatalogReader(PgConnection& connection) : connection_(connection) {}

  /// For a new connection. `questions`: SQL by name. `pooled`: nothing that is prepared is there in
  /// the next transaction; a question then takes the place of the statement without a name.
  void reset(bool pooled, std::map<std::string, std::string> questions);

  /// Messages that prepare the questions, in the transaction that is open then. They are planned
  /// once: under the path in which they are asked.
  std::vector<Message> preparing() const;

  /// `opening`: messages of ours that open a transaction, where none is open: whose rights are
  /// told.
  Failure ask(const std::vector<CatalogQuery>& questions, const std::vector<Message>& opening,
              Clock::time_point deadline, const Cancellation& cancellation, RowSink& sink);

  /// A question without a name.
  Failure ask(const std::string& sql, Clock::time_point deadline, const Cancellation& cancellation,
              RowSink& sink);

 private:
  Message message_of(const CatalogQuery& question) const;
  Failure enclosed(std::vector<Message> opening, const std::vector<Message>& questions,
                   Clock::time_point deadline, const Cancellation& cancellation, RowSink& sink);

  PgConnection& connection_;
  bool pooled_ = false;
  std::map<std::string, std::string> questions_;
};

}  // namespace ba
