// SPDX-License-Identifier: Apache-2.0
// What becomes of tools that a model's provider doesn't take.
#include <gmock/gmock.h>

#include "pipeline/core/tool/registry.hpp"
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The provider of the model "picky" doesn't take the tool "look"; schemas are rewritten for any.
class PickyOffers final : public ToolOffers {
 public:
  ToolOffer offer(const std::string& model, const ToolSpecList& tools,
                  const std::vector<std::string>& first) override {
    ++asked;
    first_tools = first;
    ToolOffer offer;
    std::vector<ToolSpec> taken;
    for (ToolSpec tool : tools) {
      tool.parameters_schema = "{\"for\":\"" + model + "\"}";
      if (model == "picky" && tool.name == "look")
        offer.left_out.push_back({tool.name, model, LeftOutReason::Schema, "so it is"});
      else
        taken.push_back(std::move(tool));
    }
    offer.tools = std::move(taken);
    return offer;
  }
  int asked = 0;
  std::vector<std::string> first_tools;
};

class EngineOffersTest : public EngineTest {
 protected:
  EngineOffersTest() { ports_.offers = &offers_; }

  void run_with(const std::string& model) {
    RunProfile profile;
    profile.model = model;
    profile.tools = registry_.specs({});
    profile.first_tools = {"look", "*"};
    agents_ = AgentDirectory({profile}, {{model, 1'000'000}});
    model_.script = [this](const ModelRequest& request) -> std::optional<AiMessage> {
      std::string offered;
      for (const ToolSpec& tool : request.tools)
        offered += tool.name + " " + tool.parameters_schema + ";";
      requests_.push_back(offered);
      return std::nullopt;  // the two steps: a call of look, an answer
    };
    auto life = begin();
    life->engine->take(records({"j"}));
    EXPECT_TRUE(run_until_finished(1));
  }

  PickyOffers offers_;
  std::vector<std::string> requests_;
};

TEST_F(EngineOffersTest, AModelIsOfferedToolsAsItsProviderTakesThem) {
  run_with("easy");
  const std::string look = "look {\"for\":\"easy\"};";
  EXPECT_THAT(requests_, ElementsAre(look, look));
  EXPECT_EQ(tool_->keys.size(), 1U);
  EXPECT_EQ(offers_.asked, 1) << "once for a job and a model";
  EXPECT_THAT(offers_.first_tools, ElementsAre("look", "*"));
}

TEST_F(EngineOffersTest, AToolThatIsLeftOutIsNotRunForAModelThatCallsItAllTheSame) {
  run_with("picky");
  EXPECT_THAT(requests_, ElementsAre("", ""));
  EXPECT_TRUE(tool_->keys.empty());
  EXPECT_THAT(observation("j"), HasSubstr("look"));
  EXPECT_THAT(observation("j"), HasSubstr("Error"));
  EXPECT_EQ(job("j").finished->result.outcome, Outcome::Completed);
}

}  // namespace
}  // namespace ba::driver
