#pragma once
// SPDX-License-Identifier: Apache-2.0
// vector_search before a real server: a database of the test's own with the table of
// config/vector_index.sql, read by the role of BA_ANALYTICS_URL.

#include <fstream>
#include <regex>

#include "tests/worker/tools/sql/write_database.hpp"
#include "tests/worker/tools/vector/vector_fixture.hpp"

namespace ba::vector {

class VectorOnServer : public VectorSearchTest {
 protected:
  VectorOnServer() {
    source_.url = database_.writer_url();
    owner_.run(index_sql());
    index().metadata_columns = {"metadata"};
  }
  ~VectorOnServer() override { tool_.reset(); }  // its connections, before the database

  /// The file that an owner runs, without what only psql understands.
  static std::string index_sql() {
    std::ifstream in("config/vector_index.sql");
    std::ostringstream text;
    text << in.rdbuf();
    return std::regex_replace(text.str(), std::regex(":\"reader\""), "ba_reader");
  }

  void add(const std::string& id, const std::string& embedding,
           const std::string& tenant = "acme") {
    owner_.run("INSERT INTO ba_passages (tenant, id, text, embedding) VALUES ('" + tenant + "', '" +
               id + "', 'text of " + id + "', " +
               (embedding == "NULL" ? "NULL" : "'" + embedding + "'") + ")");
  }

  /// What the tool's sessions do there now, each its state, in order; asked by their own role, as
  /// an owner doesn't see it.
  std::string states() {
    if (!reader_) reader_.emplace(database_.writer_url());
    return reader_->value(
        "SELECT coalesce(string_agg(state, ' ' ORDER BY state), '') FROM pg_stat_activity WHERE "
        "usename = current_user AND datname = current_database() AND pid <> pg_backend_pid()");
  }

  /// Waits for what happens outside of the loop, which it asks about again and again.
  bool until(const std::function<bool()>& reached) {
    std::unique_ptr<Timer> tick;
    std::function<void()> again = [&] { tick = loop_.after(Milliseconds(20), again); };
    again();
    return loop_.run_until(reached);
  }

  sql::WriteDatabase database_;
  sql::Person owner_{database_.owner_url()};
  std::optional<sql::Person> reader_;
};

}  // namespace ba::vector
