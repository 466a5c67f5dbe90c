#pragma once
// SPDX-License-Identifier: Apache-2.0
// The meta-tool `deactivate_skill`: says that a skill is done. It only takes the words; the
// conversation pops its stack when the result becomes part of it. Owned by the registry; control
// thread.

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

/// What the call names.
struct SkillEnd {
  std::string name;
  std::string activation_id;
};

/// Of arguments that the tool's schema has let through.
SkillEnd skill_end_of(const std::string& args_json);

class DeactivateSkillTool final : public Tool {
 public:
  /// Borrows the executor.
  explicit DeactivateSkillTool(Executor& executor);

  const ToolDescriptor& descriptor() const override { return descriptor_; }
  ToolDescriptor& descriptor() { return descriptor_; }  ///< to be changed before registration only
  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

  static ToolDescriptor description();

 private:
  Executor& executor_;
  ToolDescriptor descriptor_ = description();
};

}  // namespace ba
