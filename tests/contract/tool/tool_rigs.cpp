// SPDX-License-Identifier: Apache-2.0
// The tools that need no server: execute_command, file_reader, file_write, the screen for secrets,
// and the tests' own.
#include "pipeline/core/tool/registry.hpp"
#include "tests/contract/tool/loop_tool_rig.hpp"
#include "tests/contract/tool/simulated_tool_rig.hpp"
#include "tests/support/effect_tools.hpp"
#include "tests/support/fake_tool.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/virtual_executor.hpp"
#include "tests/worker/driver/engine_fixture.hpp"
#include "tests/worker/mcp/fake_transport.hpp"
#include "worker/mcp/mcp_servers.hpp"
#include "worker/runtime/secret_screen.hpp"
#include "worker/tools/command/execute_command.hpp"
#include "worker/tools/files/file_reader.hpp"
#include "worker/tools/files/file_write.hpp"

namespace ba {
namespace {

class FileReaderRig final : public LoopToolRig {
 public:
  FileReaderRig() {
    for (int number = 0; number < kFiles; ++number)
      directory_.write(name(number), "line of " + name(number));
    config_.roots = {{"data", directory_.path().string(), "files"}};
    tool_ = std::make_unique<files::FileReader>(
        config_, std::move(files::FileRoots::open(config_.roots).value()), executor_);
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
  files::FilesConfig config_;
};

class FileWriteRig final : public LoopToolRig {
 public:
  FileWriteRig() {
    config_.roots = {{"out", directory_.path().string(), "files"}};
    tool_ = std::make_unique<files::FileWrite>(
        config_, std::move(files::PlacedFiles::open(config_.roots).value()), executor_);
  }

  ToolInvocation call(int number) override {
    ToolInvocation call;
    call.parameters = R"({"path":")" + std::to_string(number) + R"(","content":"abc"})";
    call.idempotency_key = "key-" + std::to_string(number);
    return call;
  }
  std::string data(int number) override {
    return R"({"success":true,"message":"Written: )" + std::to_string(number) +
           R"(","bytes":3,"sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"})";
  }

 private:
  TemporaryDirectory directory_;
  files::FileWriteConfig config_;
};

class ExecuteCommandRig final : public LoopToolRig {
 public:
  ExecuteCommandRig() { tool_ = std::make_unique<Still>(executor_); }

  ToolInvocation call(int number) override {
    ToolInvocation call;
    call.parameters = R"({"command":"echo )" + std::to_string(number) + R"("})";
    return call;
  }
  std::string data(int number) override {
    return R"({"ended":"exit","exit_code":0,"stdout":")" + std::to_string(number) +
           R"(\n","stderr":""})";
  }

 private:
  /// Leaves out of each answer how long it took.
  class Still final : public Tool {
   public:
    explicit Still(Executor& executor) : inner_(command::CommandConfig(), executor) {}
    const ToolDescriptor& descriptor() const override { return inner_.descriptor(); }
    std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                                 std::function<void(RawToolResult)> done) override {
      return inner_.run(std::move(invocation), [done = std::move(done)](RawToolResult raw) {
        const std::size_t at = raw.data.find(",\"duration_ms\"");
        if (at != std::string::npos) raw.data.replace(at, std::string::npos, "}");
        done(std::move(raw));
      });
    }

   private:
    command::ExecuteCommand inner_;
  };
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
    tool_ = runtime::screened(std::move(tool_), secrets_);
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

/// A tool of a server that answers each call with its own arguments.
class McpRig final : public VirtualRig {
 public:
  McpRig() {
    server_.time = &time_;
    server_.be_modern({mcp::tool_json("echo")});
    server_.methods["tools/call"] = [this](std::int64_t id, const mcp::Json& params) {
      server_.answer(id, {{"structuredContent", params["arguments"]}});
    };
    config_.servers.resize(1);
    config_.servers[0].name = "s";
    servers_ = std::make_unique<mcp::McpServers>(
        config_,
        mcp::McpPorts{
            time_, log_,
            [this](const mcp::McpServerConfig&) -> Result<std::unique_ptr<mcp::Transport>> {
              return std::unique_ptr<mcp::Transport>(std::make_unique<mcp::FakeTransport>(server_));
            },
            "1",
            [this](tools::MadeTool made) {
              tool_ = std::move(made.tool);
              return Result<bool>(true);
            }});
    servers_->start();
    EXPECT_TRUE(time_.run_until([this] { return tool_ != nullptr; }, std::chrono::minutes(1)));
  }

  Tool& tool() override { return *tool_; }
  void close() override { tool_.reset(); }
  std::string data(int) override { return R"({"what":"x"})"; }

 private:
  class NoLog final : public Log {
    bool enabled(LogLevel) const override { return false; }
    void write(LogLevel, std::string_view, Fields) override {}
  };

  NoLog log_;
  mcp::FakeServer server_;
  mcp::McpConfig config_;
  std::unique_ptr<mcp::McpServers> servers_;
  std::unique_ptr<Tool> tool_;
};

class LookRig final : public VirtualRig {
 public:
  Tool& tool() override { return *tool_; }
  void close() override { tool_.reset(); }
  std::string data(int) override { return driver::LookTool::kData; }

 private:
  std::unique_ptr<driver::LookTool> tool_ = std::make_unique<driver::LookTool>(time_);
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
                    ToolKind{"FileWrite", make<FileWriteRig>()},
                    ToolKind{"ExecuteCommand", make<ExecuteCommandRig>()},
                    ToolKind{"Screened", make<ScreenedRig>()},
                    ToolKind{"Fake", make<FakeRig>(EffectClass::Once)},
                    ToolKind{"FakeReconcilable", make<FakeRig>(EffectClass::Reconcilable)},
                    ToolKind{"EffectPure", make<EffectRig>(EffectClass::Pure)},
                    ToolKind{"EffectKeyed", make<EffectRig>(EffectClass::Keyed)},
                    ToolKind{"EffectOnce", make<EffectRig>(EffectClass::Once)},
                    ToolKind{"Mcp", make<McpRig>()}, ToolKind{"EnginesLook", make<LookRig>()},
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
