// SPDX-License-Identifier: Apache-2.0
// The tools that need no server: file_reader, the screen for secrets, and the tests' own.
#include "pipeline/tool/registry.hpp"
#include "tests/contract/tool/loop_tool_rig.hpp"
#include "tests/contract/tool/simulated_tool_rig.hpp"
#include "tests/support/effect_tools.hpp"
#include "tests/support/fake_tool.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/virtual_executor.hpp"
#include "tests/worker/driver/engine_fixture.hpp"
#include "worker/runtime/secret_screen.hpp"
#include "worker/tools/file_reader.hpp"

namespace ba {
namespace {

class FileReaderRig final : public LoopToolRig {
 public:
  FileReaderRig() {
    for (int number = 0; number < kFiles; ++number)
      directory_.write(name(number), "line of " + name(number));
    config_.roots = {{"data", directory_.path().string(), "files"}};
    tool_ = std::make_unique<FileReader>(config_, std::move(FileRoots::open(config_.roots).value()),
                                         executor_);
  }

  ToolInvocation call(int number) override {
    ToolInvocation call;
    call.parameters = R"({"path":")" + name(number) + R"("})";
    return call;
  }
  std::string data(int number) override {
    return R"({"total_lines":1,"lines":["line of )" + name(number) + R"("]})";
  }

 private:
  static constexpr int kFiles = 5;
  static std::string name(int number) { return std::to_string(number) + ".txt"; }

  TemporaryDirectory directory_;
  FilesConfig config_;
};

/// Of a tool under virtual time that answers every call alike.
class VirtualRig : public StatusRig {
 public:
  ToolInvocation call(int number) override {
    ToolInvocation call;
    call.parameters = R"({"what":"x"})";
    call.idempotency_key = "key-" + std::to_string(number);
    return call;
  }
  bool run_until(const std::function<bool()>& reached) override {
    return time_.run_until(reached, std::chrono::hours(1));
  }
  void settle() override { time_.run(); }
  void happened(int) override {}

 protected:
  VirtualExecutor time_;
};

class FakeRig : public VirtualRig {
 public:
  explicit FakeRig(EffectClass effect) {
    record_.answers = {FakeTool::ok(kData, Milliseconds(10))};
    record_.statuses = {FakeTool::cannot_tell()};
    ToolDescriptor descriptor;
    descriptor.name = "fake";
    descriptor.description = "Answers what a test wrote down.";
    descriptor.parameters_schema = R"({"type":"object"})";
    descriptor.effect = effect;
    tool_ = std::make_unique<FakeTool>(time_, descriptor, record_);
  }

  Tool& tool() override { return *tool_; }
  void close() override { tool_.reset(); }
  std::string data(int) override { return kData; }
  void happened(int) override { record_.statuses = {FakeTool::happened(kData)}; }

 protected:
  static constexpr const char* kData = R"({"rows":[1]})";

  FakeTool::Record record_;
  std::unique_ptr<Tool> tool_;
};

class ScreenedRig final : public FakeRig {
 public:
  ScreenedRig() : FakeRig(EffectClass::Reconcilable) {
    tool_ = screened(std::move(tool_), secrets_);
  }

 private:
  const Redaction secrets_{{"a-secret"}};
};

class EffectRig final : public VirtualRig {
 public:
  explicit EffectRig(EffectClass effect) : name_("effect_" + std::string(to_string(effect))) {
    const std::string journal = (directory_.path() / "journal").string();
    EXPECT_TRUE(add_effect_tools(*registry_, time_, journal, [] {}));
  }

  Tool& tool() override { return *registry_->find(name_)->tool; }
  void close() override { registry_.reset(); }
  std::string data(int) override { return R"("done")"; }

 private:
  const std::string name_;
  TemporaryDirectory directory_;
  std::unique_ptr<ToolRegistry> registry_ = std::make_unique<ToolRegistry>();
};

class LookRig final : public VirtualRig {
 public:
  Tool& tool() override { return *tool_; }
  void close() override { tool_.reset(); }
  std::string data(int) override { return LookTool::kData; }

 private:
  std::unique_ptr<LookTool> tool_ = std::make_unique<LookTool>(time_);
};

template <typename Rig, typename... Arguments>
auto make(Arguments... arguments) {
  return [=] { return std::make_unique<Rig>(arguments...); };
}

auto simulated(const std::string& name) {
  return [name] { return make_simulated_tool_rig(name); };
}

INSTANTIATE_TEST_SUITE_P(
    All, ToolContract,
    testing::Values(ToolKind{"FileReader", make<FileReaderRig>()},
                    ToolKind{"Screened", make<ScreenedRig>()},
                    ToolKind{"Fake", make<FakeRig>(EffectClass::Once)},
                    ToolKind{"FakeReconcilable", make<FakeRig>(EffectClass::Reconcilable)},
                    ToolKind{"EffectPure", make<EffectRig>(EffectClass::Pure)},
                    ToolKind{"EffectKeyed", make<EffectRig>(EffectClass::Keyed)},
                    ToolKind{"EffectOnce", make<EffectRig>(EffectClass::Once)},
                    ToolKind{"EnginesLook", make<LookRig>()},
                    ToolKind{"SimulatedLook", simulated("look")},
                    ToolKind{"SimulatedPay", simulated("pay")},
                    ToolKind{"SimulatedTicket", simulated("ticket")},
                    ToolKind{"SimulatedMail", simulated("mail")}),
    kind_name);

INSTANTIATE_TEST_SUITE_P(All, StatusContract,
                         testing::Values(StatusKind{"Screened", make<ScreenedRig>()},
                                         StatusKind{"Fake",
                                                    make<FakeRig>(EffectClass::Reconcilable)},
                                         StatusKind{"SimulatedTicket", simulated("ticket")}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ba
