// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "pipeline/core/context/context_view.hpp"

namespace ba::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kChinese = "你好世界，今天天气很好";  // 14 of cl100k_base, 7 of o200k_base

constexpr const char* kTokenizer = R"({
  "added_tokens": [{"id": 3, "content": "<s>", "special": true}],
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
  "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})";

class ConfiguredMeterTest : public testing::Test {
 protected:
  ConfiguredMeterTest()
      : folder_(std::filesystem::temp_directory_path() / ("ba-meter-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "tokenizer.json") << kTokenizer;
    add("large", "gpt-4o");
    add("careful", "claude-sonnet-5");
    add("own", "mine-7b");
  }
  ~ConfiguredMeterTest() override { std::filesystem::remove_all(folder_); }

  void add(const std::string& name, const std::string& model_id) {
    llm::ModelConfig& model = loaded_.config.llm.models.emplace_back();
    model.name = name;
    model.model_id = model_id;
  }

  void use_encoders(const std::string& yaml) {
    loaded_.token_encoders = config::read_token_encoders(yaml, folder_ / "token_encoders.yaml");
    EXPECT_THAT(loaded_.token_encoders.findings.errors(), IsEmpty());
  }

  std::unique_ptr<ConfiguredMeter> meter() {
    auto meter = ConfiguredMeter::of(loaded_);
    if (!meter) throw std::runtime_error(meter.error().message);
    return *std::move(meter);
  }

  const std::filesystem::path folder_;
  config::LoadedConfig loaded_;
};

TEST_F(ConfiguredMeterTest, EachModelHasTheEncodingAndTheMarginOfItsId) {
  const auto meter = this->meter();
  EXPECT_EQ(meter->count("large", kChinese), 7);
  EXPECT_EQ(meter->margin_millionths("large"), 1'000'000);
  EXPECT_EQ(meter->count("careful", kChinese), 14);
  EXPECT_EQ(meter->margin_millionths("careful"), 1'150'000);
}

TEST_F(ConfiguredMeterTest, AnEntryOfTheFileOfEncodersGoesBeforeWhatIsKnown) {
  use_encoders(R"(
encoders:
  gpt-4o: {encoding_name: cl100k_base, safety_margin: 1.05}
  mine-*:
    encoding_name: mine
    safety_margin: 1.5
    encoder_params: {tokenizer_file: tokenizer.json}
)");
  const auto meter = this->meter();
  EXPECT_EQ(meter->count("large", kChinese), 14);
  EXPECT_EQ(meter->margin_millionths("large"), 1'050'000);
  EXPECT_EQ(meter->count("own", "ab<s>b"), 3);
  EXPECT_EQ(meter->margin_millionths("own"), 1'500'000);
  EXPECT_EQ(meter->margin_millionths("careful"), 1'150'000);
}

TEST_F(ConfiguredMeterTest, AJobsBudgetIsReckonedByItsModelsOwn) {
  const auto meter = this->meter();
  const CompressionRules rules;
  const auto estimated = [&](const std::string& model) {
    ContextFrame frame;
    frame.model = model;
    frame.window = 1'000;
    frame.system = kChinese;
    return ContextView(frame, rules, meter.get()).estimated_tokens();
  };
  EXPECT_EQ(estimated("large"), 7);
  EXPECT_EQ(estimated("careful"), 16) << "14 by 1.15";
}

TEST_F(ConfiguredMeterTest, ATokenizerThatCanNotBeReadIsToldWithItsModel) {
  use_encoders("encoders:\n  mine-7b:\n    encoder_params: {tokenizer_file: none.json}\n");
  const auto meter = ConfiguredMeter::of(loaded_);
  ASSERT_FALSE(meter);
  EXPECT_THAT(meter.error().message, HasSubstr("the tokenizer of llm.models.own: "));
  EXPECT_THAT(meter.error().message, HasSubstr("none.json"));
}

}  // namespace
}  // namespace ba::runtime
