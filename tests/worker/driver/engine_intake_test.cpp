// SPDX-License-Identifier: Apache-2.0
// A record that the ledger refuses, whatever for, holds up no other.
#include <algorithm>

#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {
namespace {

class EngineIntakeTest : public EngineTest {
 protected:
  /// The ledger refuses a job of this name and, if so, dead letters with headers.
  void refuse(const std::string& id, bool letters = false) {
    ledger_.refuses_intake = [id, letters](const IntakeBatch& batch) {
      const auto bad = [&](const IntakeJob& one) { return one.job.job_id.value == id; };
      const auto full = [&](const DeadLetter& one) { return letters && !one.headers.empty(); };
      return std::ranges::any_of(batch.jobs, bad) || std::ranges::any_of(batch.dead_letters, full);
    };
  }

  std::vector<std::string> letters() const {
    std::vector<std::string> values;
    for (const DeadLetter& letter : ledger_.dead_letters())
      values.push_back(letter.value + " " + letter.reason + ": " + letter.message);
    return values;
  }
};

TEST_F(EngineIntakeTest, ARefusedRecordBetweenGoodOnesIsADeadLetterWhereverItStands) {
  refuse("bad");
  for (const int place : {0, 2, 4}) {
    auto life = begin();
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i)
      ids.push_back(i == place ? "bad" : "good-" + std::to_string(place) + std::to_string(i));
    const std::size_t before = ledger_.jobs().size();
    life->engine->take(records(ids));
    executor_.run_for(50ms);
    EXPECT_EQ(life->source.acknowledged, 5u) << place;
    EXPECT_EQ(ledger_.jobs().size(), before + 4) << place;
    EXPECT_TRUE(life->engine->ledger_ok()) << "nothing is wrong with the ledger";
    life->engine->drop();
    ledger_.expire(life->id);
  }
  EXPECT_EQ(letters(),
            std::vector<std::string>(3, "bad LEDGER_REFUSED: the ledger refuses it: no such byte"));
}

TEST_F(EngineIntakeTest, HundredsOfRefusedRecordsAreSoonDone) {
  refuse("bad");
  auto life = begin();
  life->engine->take(records(std::vector<std::string>(300, "bad")));
  executor_.run_for(100ms);
  EXPECT_EQ(life->source.acknowledged, 300u);
  EXPECT_EQ(ledger_.intake_offset("ba.jobs", 0), 300);
}

TEST_F(EngineIntakeTest, WhereTheLetterIsRefusedTooALetterThatSaysLessTakesItsPlace) {
  refuse("bad", true);
  auto life = begin();
  auto some = records({"good", "bad"});
  some[1].headers = {{"note", "x"}};
  life->engine->take(std::move(some));
  executor_.run_for(50ms);
  EXPECT_EQ(life->source.acknowledged, 2u);
  EXPECT_EQ(letters(),
            std::vector<std::string>{"bad LEDGER_REFUSED: the ledger refuses it, and its "
                                     "headers, which are left out"});
}

TEST_F(EngineIntakeTest, ALedgerOutOfReachMakesNoDeadLetter) {
  auto life = begin();
  executor_.run_for(10ms);
  for (int i = 0; i < 5; ++i) ledger_.fail_next(LedgerCall::Intake, ledger_is_down());
  life->engine->take(records({"good"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_TRUE(letters().empty());
}

}  // namespace
}  // namespace ba::driver
