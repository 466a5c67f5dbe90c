// SPDX-License-Identifier: Apache-2.0
// What migrations make of rows that are there already: what the program would have written itself.
#include <array>

#include "storage/conversations.hpp"
#include "storage/migrate.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

/// In the order in which their rows can be written.
constexpr std::array kTables{"conversations", "jobs", "rounds", "steps", "redrives"};

class MigrateRows : public StorageTest {
 protected:
  const PgAccess& access() { return schema().access(); }

  // ---- rows that the program writes ----

  ClaimedJob claimed(IncarnationId self, const std::string& job_id) {
    const auto answer = claim(self, 10);
    for (const ClaimedJob& job : answer->jobs)
      if (job.payload == "acme/" + job_id) return job;
    ADD_FAILURE() << job_id << " was not claimed";
    return {};
  }

  void copy(const std::string& source, const std::string& made, std::optional<int> from_round) {
    JobCopy copy;
    copy.source = {TenantId("acme"), JobId(source)};
    copy.job = intake_job({.job_id = made});
    copy.from_round = from_round;
    copy.by = "tester";
    const auto rows = rig().copy_job(copy);
    ASSERT_TRUE(rows) << rows.error().message;
  }

  static Delta failed(const ClaimedJob& job, const std::string& job_id) {
    Delta end = finished(job, job_id);
    end.finished->result.outcome = Outcome::Poisoned;
    end.finished->result.error = JobError{"internal", "ATTEMPTS_EXHAUSTED", "crashed"};
    end.rounds_closed[0].status = RoundStatus::Error;
    return end;
  }

  void write(IncarnationId self, const std::vector<Delta>& deltas) {
    for (const Delta& delta : deltas) {
      const auto written = append(self, delta);
      ASSERT_TRUE(written) << written.error().message;
    }
  }

  /// Of a call of the asking job's first step.
  void begin_sub_agent(IncarnationId self, const ClaimedJob& asking) {
    SubAgentOrder order;
    order.asked_by = {asking.id, {0, 1, 1}};
    order.job.tenant = TenantId("acme");
    order.job.job_id = JobId("sub-agent:a1");
    order.job.conversation_id = ConversationId("sub-agent:a1");
    order.job.messages = {"look"};
    order.payload = "look";
    const auto standing = await<SubAgentStanding>(
        [&](auto done) { ledger().begin_sub_agent(self, order, std::move(done)); });
    ASSERT_TRUE(standing && standing->claimed);
    write(self, {round_opened(*standing->claimed), step_replied(*standing->claimed)});
  }

  /// As retention leaves it: what a person did to get it stays noted.
  void remove(const std::string& job_id) {
    const std::string id = schema().query("SELECT id FROM jobs WHERE job_id = '" + job_id + "'");
    for (const char* table : {"tool_calls", "steps", "rounds"})
      schema().execute("DELETE FROM " + std::string(table) + " WHERE job = " + id);
    schema().execute("DELETE FROM jobs WHERE id = " + id);
  }

  void take_in(const std::string& job_id, const std::string& conversation,
               const std::string& user) {
    IntakeBatch batch = batch_of({{.job_id = job_id, .conversation = conversation}});
    batch.jobs[0].job.user_id = user;
    ASSERT_TRUE(intake(latest_, batch));
  }

  // ---- and the same rows in an older schema ----

  /// They were there before that migration, which is applied to them now.
  void migrate_rows(ScratchSchema& old, int version) {
    old.execute("CREATE SCHEMA " + old.access().schema);
    for (const Migration& migration : builtin_migrations()) {
      if (migration.version == version)
        for (const char* table : kTables) take_rows(old, table);
      if (migration.version <= version) old.execute(std::string(migration.sql));
    }
  }

  void take_rows(ScratchSchema& old, const std::string& table) {
    const std::string columns = old.query(
        "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND table_name = '" +
        table + "' AND is_generated = 'NEVER'");
    old.execute("INSERT INTO " + table + " (" + columns + ") OVERRIDING SYSTEM VALUE SELECT " +
                columns + " FROM " + access().schema + "." + table);
  }

  static std::string marks(ScratchSchema& schema) {
    return schema.query(
        "SELECT string_agg(job_id || ' ' || copied_rounds || '/' || copied_step, ', ' ORDER BY id)"
        " FROM jobs");
  }

  static std::string owners(ScratchSchema& schema) {
    return schema.query(
        "SELECT string_agg(conversation_id || ' ' || user_id, ', ' ORDER BY id)"
        " FROM conversations");
  }
};

TEST_F(MigrateRows, CopiesAreMarkedUpToWhereTheyAreOnes) {
  constexpr int kCopiesMarked = 24;
  const auto self = enter();
  const ClaimedJob source = job_in_step_two(self, {.job_id = "source"});
  write(self, {failed(source, "source")});
  const ClaimedJob mute = running_job(self, "mute");
  write(self, {round_opened(mute), failed(mute, "mute")});

  copy("source", "on", std::nullopt);
  const ClaimedJob on = claimed(self, "on");
  write(self, {step_replied(on, 2), call_finished(on, 2), finished(on, "on")});
  copy("mute", "asks", std::nullopt);
  const ClaimedJob asks = claimed(self, "asks");
  write(self, {step_replied(asks)});
  begin_sub_agent(self, asks);
  copy("source", "anew", 0);
  const ClaimedJob anew = claimed(self, "anew");
  write(self, {round_opened(anew), step_replied(anew)});

  copy("on", "next", 1);
  const ClaimedJob next = claimed(self, "next");
  write(self, {round_opened(next, 1), in_round(1, step_replied(next)),
               in_round(1, call_finished(next)), in_round(1, failed(next, "next"))});
  copy("next", "deep", std::nullopt);
  const ClaimedJob deep = claimed(self, "deep");
  write(self, {in_round(1, step_replied(deep, 2)), in_round(1, call_finished(deep, 2))});
  copy("next", "deeper", 1);

  copy("source", "gone", std::nullopt);
  remove("gone");
  job_in_step_two(self, {.job_id = "gone"});

  EXPECT_EQ(marks(schema()),
            "source 0/-1, mute 0/-1, on 0/1, asks 0/0, sub-agent:a1 0/-1, anew 0/-1, next 1/-1, "
            "deep 1/1, deeper 1/-1, gone 0/-1");
  ScratchSchema old(ScratchSchema::Fill::Empty);
  migrate_rows(old, kCopiesMarked);
  EXPECT_EQ(marks(old), marks(schema()));
}

TEST_F(MigrateRows, ConversationsBelongToWhomTheirFirstJobNamed) {
  constexpr int kOwnersKept = 24;
  enter();
  take_in("1", "named", "ann");
  take_in("2", "named", "bob");
  take_in("3", "of nobody", "");
  take_in("4", "of nobody", "bob");
  for (const char* imported : {"imported", "imported of nobody"})
    ASSERT_TRUE(
        import_conversation(access(), {TenantId("acme"), ConversationId(imported), {}, "tester"}));
  take_in("5", "imported", "");
  take_in("6", "imported", "bob");
  take_in("7", "imported", "ann");
  take_in("8", "imported of nobody", "");

  EXPECT_EQ(owners(schema()), "named ann, of nobody , imported bob, imported of nobody ");
  ScratchSchema old(ScratchSchema::Fill::Empty);
  migrate_rows(old, kOwnersKept);
  EXPECT_EQ(owners(old), owners(schema()));
}

}  // namespace
}  // namespace ba::storage
