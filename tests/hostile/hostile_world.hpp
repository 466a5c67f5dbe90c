#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a hostile model must neither get nor change: tables, files, artifacts, each with a canary;
// and the runtime with the real tools, as a job of one tenant would use it.

#include <memory>
#include <string>
#include <vector>

#include "pipeline/tool/tool_runtime.hpp"
#include "storage/storage.hpp"
#include "tests/hostile/attempts.hpp"
#include "tests/support/loop_executor.hpp"
#include "tests/support/scratch_schema.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/worker/tools/write_database.hpp"
#include "worker/tools/build_task.hpp"
#include "worker/tools/build_tools.hpp"

namespace ba {

class HostileWorld {
 public:
  HostileWorld();
  ~HostileWorld();

  Overheard overheard() const;

  /// `permission`: of the caller; the tools for writing need admin.
  ToolResult call(const Attempt& attempt, PermissionLevel permission);

  /// The canaries; none may ever be in an observation.
  const std::vector<std::string>& canaries() const { return canaries_; }

  /// Everything that must stay as it is, as one text.
  std::string standing();

 private:
  class Steady;
  class Gatekeeper;

  std::string keep_canary(const std::string& tenant, LedgerJobId job);
  LedgerJobId job(const std::string& tenant, const std::string& conversation);
  void build();

  const std::vector<std::string> canaries_;
  ScratchSchema schema_;
  WriteDatabase database_;
  TemporaryDirectory root_;
  TemporaryDirectory out_;
  TemporaryDirectory outside_;
  LoopExecutor executor_;
  std::unique_ptr<PgStorage> storage_;
  std::vector<std::string> artifacts_;
  LedgerJobId own_job_;
  std::unique_ptr<Gatekeeper> gatekeeper_;
  SubAgentDesk desk_;
  BuiltTools tools_;
  std::unique_ptr<Clock> clock_;
  std::unique_ptr<Random> random_;
  std::unique_ptr<ToolRuntime> runtime_;
  std::uint64_t calls_ = 0;
};

}  // namespace ba
