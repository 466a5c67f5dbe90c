#pragma once
// SPDX-License-Identifier: Apache-2.0
// A database of its own for tests of database_write, at the server of BA_POSTGRES_URL: written to
// by the role of BA_ANALYTICS_URL, which owns nothing and has just the rights that it was given.

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "worker/tools/sql/connection/pg_connection.hpp"

namespace ba::sql {

/// A person at psql: fails the test's program where SQL fails.
class Person {
 public:
  explicit Person(const std::string& url) {
    if (connection_.connect(url, Milliseconds(10000), never_))
      throw std::runtime_error("no connection to the test's database");
  }

  void run(const std::string& sql) {
    if (const auto failure = connection_.script(sql, {soon(), never_}))
      throw std::runtime_error(sql + ": " + failure->message);
  }

  /// The first column of the first row.
  std::string value(const std::string& sql) {
    First first;
    if (const auto failure = connection_.statement(sql, {}, {soon(), never_}, first))
      throw std::runtime_error(sql + ": " + failure->message);
    return first.text;
  }

 private:
  struct First final : RowSink {
    bool row(const Row& row) override {
      if (text.empty()) text = std::string(row.at(0).value_or("null"));
      return true;
    }
    std::string text;
  };

  static PgConnection::Clock::time_point soon() {
    return PgConnection::Clock::now() +
           Milliseconds(300'000);  // DROP DATABASE waits for a checkpoint
  }

  tools::Cancellation never_;
  PgConnection connection_;
};

/// Created with the table of effects, and dropped in the end.
class WriteDatabase {
 public:
  /// `prefix`: of its name, for a program that has several.
  explicit WriteDatabase(const std::string& prefix = "write_")
      : name_(prefix + std::to_string(getpid())) {
    Person(setting("BA_POSTGRES_URL")).run("CREATE DATABASE " + name_);
    Person(owner_url()).run(effects_table("ba_reader"));
  }
  ~WriteDatabase() { Person(setting("BA_POSTGRES_URL")).run("DROP DATABASE " + name_); }
  WriteDatabase(const WriteDatabase&) = delete;
  WriteDatabase& operator=(const WriteDatabase&) = delete;

  std::string owner_url() const { return with_name(setting("BA_POSTGRES_URL")); }
  /// The role is made to read; as it writes here, its address says so.
  std::string writer_url() const {
    return with_name(setting("BA_ANALYTICS_URL")) +
           "?options=-c%20default_transaction_read_only%3Doff";
  }
  /// The role as its operator made it: transactions that only read.
  std::string reader_url() const { return with_name(setting("BA_ANALYTICS_URL")); }

  /// The file that an owner runs, without what only psql understands.
  static std::string effects_table(const std::string& writer) {
    std::ifstream in("config/effects_table.sql");
    std::ostringstream text;
    text << in.rdbuf();
    return std::regex_replace(text.str(), std::regex(":\"writer\""), writer);
  }

 private:
  static std::string setting(const char* variable) {
    const char* value = std::getenv(variable);
    if (!value) throw std::runtime_error(std::string(variable) + " is not set: run it by ops/test");
    return value;
  }

  std::string with_name(const std::string& url) const {
    return url.substr(0, url.rfind('/') + 1) + name_;
  }

  const std::string name_;
};

}  // namespace ba::sql
