// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/hunt/tool_judges.hpp"

#include <set>
#include <stdexcept>

#include "worker/tools/catalog_check.hpp"
#include "worker/tools/pg_connection.hpp"
#include "worker/tools/pg_value.hpp"
#include "worker/tools/read_only_session.hpp"
#include "worker/tools/sql_guard.hpp"
#include "worker/tools/sql_meaning.hpp"
#include "worker/tools/sql_write_guard.hpp"
#include "worker/tools/write_session.hpp"

namespace ba::hunt {
namespace {

constexpr Milliseconds kTimeout{20000};

/// Asks the catalog as a session of a tool does.
class Catalog {
 public:
  Catalog(std::string url, const std::string& settings)
      : url_(std::move(url)), settings_(settings) {}

  Verdict refusal(const GuardedSql& sql) {
    std::set<std::string> found;
    NameSink names(found);
    ask(volatile_names_in(sql), names);
    return {found.empty(), false, found.empty() ? "" : volatile_refused(found).message};
  }

  bool changeable(const GuardedSql& sql) {
    ChangeableSink found(sql);
    ask(changeable_things_in(sql), found);
    return found.found();
  }

 private:
  static PgConnection::Clock::time_point soon() { return PgConnection::Clock::now() + kTimeout; }

  void ask(const CatalogQuestion& asked, RowSink& sink) {
    const Cancellation never;
    PgConnection::Failure failure;
    if (!connection_.open()) {
      failure = connection_.connect(url_, kTimeout, never);
      if (!failure) failure = connection_.script(settings_, soon(), never);
    }
    if (!failure)
      failure = connection_.query({"BEGIN"}, asked.sql, asked.parameters, soon(), never, sink);
    if (failure) throw std::runtime_error("the catalog can't be asked: " + failure->message);
  }

  std::string url_;
  std::string settings_;
  PgConnection connection_;
};

class JudgeOfReads final : public Judge {
 public:
  explicit JudgeOfReads(const std::string& url) : catalog_(url, kReadableFormats) {}

  Verdict judge(const std::string& sql) override {
    const Result<GuardedSql> guarded = guard(sql);
    if (!guarded) return {false, false, guarded.error().message};
    Verdict verdict = catalog_.refusal(*guarded);
    if (!verdict.allowed) return verdict;
    const Result<SqlReading> reading = meaning_.read(sql);
    verdict.may_be_kept = reading && !reading->not_cacheable && !catalog_.changeable(*guarded);
    return verdict;
  }

 private:
  SqlMeaning meaning_;
  Catalog catalog_;
};

class JudgeOfWrites final : public Judge {
 public:
  JudgeOfWrites(const std::string& url, WriteRules rules)
      : rules_(std::move(rules)),
        catalog_(url, std::string("SET search_path = public, pg_temp; ") + kReadableFormats) {}

  Verdict judge(const std::string& sql) override {
    const Result<GuardedWrite> guarded = guard_write(sql, rules_);
    if (!guarded) return {false, false, guarded.error().message};
    return catalog_.refusal(guarded->sql);
  }

 private:
  WriteRules rules_;
  Catalog catalog_;
};

}  // namespace

std::unique_ptr<Judge> judge_of_reads(const std::string& url) {
  return std::make_unique<JudgeOfReads>(url);
}

std::unique_ptr<Judge> judge_of_writes(const std::string& url, const WriteRules& rules) {
  return std::make_unique<JudgeOfWrites>(url, rules);
}

std::function<std::string(const std::string&)> tool_of_reads(const std::string& url) {
  struct Reader {
    DataSourceConfig source;
    ReadOnlySession session{source};
  };
  const auto reader = std::make_shared<Reader>();  // what is returned shares it
  reader->source.name = "test";
  reader->source.url = url;
  return [reader](const std::string& sql) {
    const Result<GuardedSql> guarded = guard(sql);
    if (!guarded) return "refused: " + guarded.error().message;
    const Cancellation never;
    const RawToolResult result = reader->session.run(*guarded, 1000, kTimeout, never);
    reader->session.clean_up();
    return result.error ? "error: " + result.error->message : result.data;
  };
}

std::string answer_of_writes(const WriteSourceConfig& source, const std::string& sql) {
  const Result<GuardedWrite> guarded = guard_write(sql, source.rules);
  if (!guarded) return "refused: " + guarded.error().message;
  WriteSession session(source);
  const WriteOrder order{*guarded, "hunt:" + sql, "tenant", kTimeout};
  const Cancellation never;
  const RawToolResult result = session.run(order, never);
  session.clean_up();
  return result.error ? "error: " + result.error->message : result.data;
}

}  // namespace ba::hunt
