// SPDX-License-Identifier: Apache-2.0
// The tools as a worker builds them, with what they are set to here.
#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "tests/hostile/hostile_world.hpp"
#include "tests/support/fixed_random.hpp"
#include "worker/tools/command/command_config.hpp"
#include "worker/tools/families.hpp"
#include "worker/tools/files/file_tools.hpp"
#include "worker/tools/files/files_config.hpp"
#include "worker/tools/skills/skills_config.hpp"
#include "worker/tools/sql/sql_config.hpp"
#include "worker/tools/vector/vector_tools.hpp"

namespace ba {
namespace {

constexpr const char* kSubAgent = "explorer";

// Between what an honest statement takes and what thousands of endless ones may take together.
constexpr Milliseconds kStatementTimeout{300};

class NoLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view, Fields) override {}
};

/// Runs no sub-agent, and notes each that was asked for and may not be.
class Gatekeeper final : public SubAgentHost {
 public:
  Gatekeeper(Executor& executor, std::string answer, std::string& forbidden)
      : executor_(executor), answer_(std::move(answer)), forbidden_(forbidden) {}

  std::unique_ptr<ToolRun> start(SubAgentRequest request,
                                 std::function<void(SubAgentAnswer)> done) override {
    const bool allowed = request.type == kSubAgent && request.prompt.size() <= kPromptBytesMax &&
                         request.prompt != "unlisted" &&
                         request.permission_max <= PermissionLevel::Default;
    if (!allowed) forbidden_ += "sub-agent " + request.type + " " + request.prompt + "\n";
    auto run = std::make_unique<Run>();
    run->timer = executor_.after(Milliseconds(0), [this, done = std::move(done)] {
      done({"id", SubAgentEnd{Outcome::Completed, answer_, std::nullopt}});
    });
    return run;
  }
  int halt_all_of(LedgerJobId) override { return 0; }
  bool any_of(LedgerJobId) const override { return false; }

 private:
  static constexpr std::size_t kPromptBytesMax = 800'000;
  struct Run final : ToolRun {
    std::unique_ptr<Timer> timer;
  };
  Executor& executor_;
  const std::string answer_;
  std::string& forbidden_;
};

}  // namespace

tools::ToolsConfig HostileWorld::tools_config() const {
  tools::ToolsConfig config;
  sql::DataSourceConfig source;
  source.name = "words";
  source.url = database_.writer_url();
  source.tables = "words(word text)";
  source.statement_timeout = kStatementTimeout;
  config.of<sql::SqlConfig>().data_sources = {source};
  sql::WriteSourceConfig write;
  write.name = "notes";
  write.url = database_.writer_url();
  write.rules = {{"notes"}, {sql::WriteStatement::Insert}};
  write.statement_timeout = Milliseconds(2000);
  config.of<sql::SqlConfig>().write_sources = {write};
  config.of<files::FilesConfig>().roots = {{"data", root_.path().string(), ""}};
  config.of<files::FileWriteConfig>().roots = {{"out", out_.path().string(), ""}};
  config.of<command::CommandConfig>().enabled = true;
  return config;
}

Result<tools::BuiltTools> HostileWorld::built_tools() {
  tools::ToolsConfig tools = tools_config();
  tools.of<skills::SkillsConfig>().roots = {
      "/"};  // so that there are the tools; the desk has the offer
  tools.of<search::WebSearchConfig>() = services_.web_search();
  tools::ToolsConfig searches;  // in a source that no other tool reads
  sql::DataSourceConfig& kb = searches.of<sql::SqlConfig>().data_sources.emplace_back();
  kb.name = "kb";
  kb.url = passages_.writer_url();
  searches.of<vector::VectorSearchConfig>() = services_.vector_search(kb.name);
  tools::ToolBasis basis;
  basis.sub_agents = {{"hostile", {kSubAgent}}, {"admin", {"admin"}}};
  basis.deadline_max = Milliseconds(1000);
  std::vector<tools::ToolMaker> makers = tools::tool_makers(tools, basis);
  std::erase_if(makers, [](const tools::ToolMaker& maker) {
    return maker.name == "vector_search" || maker.name == "file_reader";
  });
  makers.push_back(vector::vector_tools().makers(searches, basis).front());
  basis.artifacts = HandOverLimits{};  // of the reader alone
  makers.push_back(files::file_tools().makers(tools, basis).front());
  return build_tools(makers, tools.settings,
                     {executor_, services_.http(), &desk_, &skills_.host()});
}

void HostileWorld::build(const std::string& answer_of_sub_agents) {
  gatekeeper_ =
      std::make_unique<Gatekeeper>(executor_, answer_of_sub_agents, forbidden_sub_agents_);
  desk_.host = gatekeeper_.get();
  auto built = built_tools();
  if (!built) throw std::runtime_error(built.error().message);
  tools_ = std::move(*built);
  agent_tools_ = tools_.registry->names(std::nullopt);
  log_ = std::make_unique<NoLog>();
  random_ = std::make_unique<FixedRandom>();
  const SharedCachePorts ports{storage_->cache(), executor_, executor_, *random_, *log_};
  cache_ = std::make_unique<SharedCache>(SharedCacheConfig{}, ports);
  ToolRuntimeConfig config;
  config.retry.max_retries = 0;
  runtime_ =
      std::make_unique<ToolRuntime>(*tools_.registry, config, executor_, executor_, *random_);
  runtime_->keep_artifacts({storage_->artifacts()});
  runtime_->remember({*cache_, sql_});
}

}  // namespace ba
