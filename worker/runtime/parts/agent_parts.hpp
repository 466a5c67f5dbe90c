#pragma once
// SPDX-License-Identifier: Apache-2.0
// What jobs run as: the agents with their tools and skills, as the configuration was read last.
// Owned by WorkerParts; control thread only.

#include <memory>

#include "worker/driver/agent_directory.hpp"
#include "worker/llm/tool_fits.hpp"
#include "worker/runtime/parts/worker_basis.hpp"
#include "worker/tools/configured_skills.hpp"

namespace ba::runtime {

class AgentParts final {
 public:
  /// Borrows both. `tools` has all that came at the start.
  AgentParts(WorkerBasis& basis, const ToolRegistry& tools);

  /// Also reads the skills, now and again for jobs that begin later.
  Result<void> build();

  /// Tools that came later, to conversations that begin from now on.
  void offer_new_tools();

  /// Reads the configuration again: agents and prices hold for jobs that are loaded from now on,
  /// all else from the next start on, which the log says. What is wrong with it changes nothing.
  void reload();

  const driver::AgentDirectory& directory() const { return *directory_; }
  llm::ToolFits& fits() { return fits_; }

 private:
  config::Config config_with(const config::AgentProfiles& wanted) const;
  Result<driver::AgentDirectory> directory_of(const config::AgentProfiles& wanted) const;
  void look_at_left_out_tools();
  void read_skills();
  void warn_of_unknown_skills(const SkillSet& known);

  WorkerBasis& basis_;
  const ToolRegistry& tools_;
  config::AgentProfiles profiles_;  ///< as read last
  std::unique_ptr<driver::AgentDirectory> directory_;
  llm::ToolFits fits_;
  std::unique_ptr<skills::SkillLibrary> skills_;
};

}  // namespace ba::runtime
