#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a hostile model must neither get nor change: tables, files, artifacts, rows and kept results
// of others, skills, each with a canary; and the runtime with the real tools and the real cache, as
// a job of one tenant would use it. One thread.

#include <memory>
#include <string>
#include <vector>

#include "pipeline/core/cache/shared_cache.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "storage/storage.hpp"
#include "tests/hostile/attempts.hpp"
#include "tests/hostile/hostile_services.hpp"
#include "tests/hostile/hostile_skills.hpp"
#include "tests/support/asio_loop.hpp"
#include "tests/support/scratch_schema.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/worker/tools/sql/write_database.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/base/tools_config.hpp"
#include "worker/tools/sql/statement/sql_meaning.hpp"

namespace ba {

class HostileWorld {
 public:
  HostileWorld();
  ~HostileWorld();

  Overheard overheard() const;

  /// The writers' guards are asked, too: for those the caller has the permission. Not for commands,
  /// whose sandbox has its own suite. Of kind Unlisted: the caller has every permission, and an
  /// agent whose list of tools has but one.
  ToolResult call(const Attempt& attempt);

  /// The canaries; none may ever be in an observation.
  const std::vector<std::string>& canaries() const { return canaries_; }

  /// Everything that must stay as it is, as one text.
  std::string standing();

 private:
  /// Whose job asks.
  struct Caller {
    std::string tenant;
    std::string agent;
    PermissionLevel permission = PermissionLevel::Default;
    LedgerJobId job;
    AllowedTools allowed;
  };

  void open_store();
  void fill_database(const std::vector<std::string>& letters);
  void fill_files(const std::string& letter);
  void fill_passages(const std::string& letter);
  void offer_skills(const std::string& instructions);
  std::string keep(const std::string& tenant, LedgerJobId job, const std::string& text);
  LedgerJobId job(const std::string& tenant, const std::string& conversation);
  Caller caller_for(const Attempt& attempt) const;
  ToolResult call_as(const Caller& caller, const Attempt& attempt);

  // hostile_tools.cpp
  tools::ToolsConfig tools_config() const;
  Result<tools::BuiltTools> built_tools();
  void build(const std::string& answer_of_sub_agents);

  // kept_results.cpp
  void keep_results_of_others();
  void expect_the_canary_in_known_calls_of(const Caller& caller);
  void show_the_canary_to_everyone();
  void hide_it_again();

  const std::vector<std::string> canaries_;
  ScratchSchema schema_;
  sql::WriteDatabase database_;
  sql::WriteDatabase passages_{"passages_"};  ///< that vector_search alone reads
  TemporaryDirectory root_;
  TemporaryDirectory out_;
  TemporaryDirectory outside_;
  AsioLoop executor_;
  HostileServices services_{executor_};
  HostileSkills skills_{executor_};
  sql::SqlMeaning sql_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Random> random_;
  std::unique_ptr<storage::PgStorage> storage_;
  std::unique_ptr<SharedCache> cache_;
  std::vector<std::string> artifacts_;
  std::string own_letter_;
  LedgerJobId own_job_;
  std::string forbidden_sub_agents_;  ///< that were asked for
  std::unique_ptr<SubAgentHost> gatekeeper_;
  SubAgentDesk desk_;
  tools::BuiltTools tools_;
  std::vector<std::string> agent_tools_;  ///< what its list has: all there are
  std::unique_ptr<ToolRuntime> runtime_;
  std::uint64_t calls_ = 0;
};

}  // namespace ba
