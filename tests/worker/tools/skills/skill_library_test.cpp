// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/skills/skill_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/loop_executor.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ba::skills {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LineLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel level, std::string_view, Fields fields) override {
    for (const LogField& field : fields)
      if (level == LogLevel::Warning)
        warnings.emplace_back(std::get<std::string_view>(field.value));
  }
  std::vector<std::string> warnings;
};

class SkillLibraryTest : public testing::Test {
 protected:
  SkillLibraryTest() {
    config_.roots = {root_.path()};
    config_.refresh = Milliseconds(5);
  }

  void add(const std::string& name, const std::string& fields = "") const {
    root_.write(name + "/SKILL.md",
                "---\nname: " + name + "\ndescription: d\n" + fields + "---\nDo it.\n");
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, skill] : skills_) names.push_back(name);
    return names;
  }

  LoopExecutor executor_;
  LineLog log_;
  TemporaryDirectory root_;
  SkillsConfig config_;
  SkillSet skills_;
  int changes_ = 0;
  SkillLibrary library_{config_, {"large"}, executor_, log_, [this](SkillSet skills) {
                          skills_ = std::move(skills);
                          ++changes_;
                        }};
};

TEST_F(SkillLibraryTest, ReadsAtTheStartAndFindsWhatChangesLater) {
  add("sales");
  library_.start();
  EXPECT_THAT(names(), ElementsAre("sales"));
  add("charts");
  ASSERT_TRUE(executor_.run_until([&] { return changes_ == 2; }));
  EXPECT_THAT(names(), ElementsAre("charts", "sales"));
  const std::string before = skills_.at("sales")->hash;
  root_.write("sales/a.md", "more");
  ASSERT_TRUE(executor_.run_until([&] { return changes_ == 3; }));
  EXPECT_NE(skills_.at("sales")->hash, before);
}

TEST_F(SkillLibraryTest, SaysOnceWhatIsWrong) {
  add("broken", "version: 1\n");
  add("sales");
  library_.start();
  root_.write("sales/a.md", "more");
  ASSERT_TRUE(executor_.run_until([&] { return changes_ == 2; }));
  ASSERT_EQ(log_.warnings.size(), 1U);
  EXPECT_THAT(log_.warnings[0], HasSubstr("version: is no field of the format"));
}

TEST_F(SkillLibraryTest, LeavesOutOneWhoseModelIsNotThere) {
  add("sales", "metadata:\n  model: large\n");
  add("charts", "metadata:\n  model: huge\n");
  library_.start();
  EXPECT_THAT(names(), ElementsAre("sales"));
  ASSERT_EQ(log_.warnings.size(), 1U);
  EXPECT_EQ(log_.warnings[0],
            "skill 'charts' is not offered: it switches to model 'huge', which is not under "
            "llm.models (there are: large)");
}

TEST_F(SkillLibraryTest, WithoutRootsNothingIsRead) {
  config_.roots.clear();
  library_.start();
  EXPECT_EQ(changes_, 0);
}

}  // namespace
}  // namespace ba::skills
