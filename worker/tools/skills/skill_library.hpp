#pragma once
// SPDX-License-Identifier: Apache-2.0
// The skills of the configured directories, read at the start and again now and then on a thread of
// its own, so that jobs that begin later have what is there then. Owned by the worker; control
// thread only. The destructor joins the thread.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/port/log.hpp"
#include "worker/tools/skills/skill_directory.hpp"

namespace ba::skills {

class SkillLibrary final {
 public:
  /// `changed` is told the new set whenever one differs from the one before. Borrows all.
  SkillLibrary(const SkillsConfig& config, std::set<std::string> models, Executor& executor,
               Log& log, std::function<void(SkillSet)> changed);
  ~SkillLibrary();
  SkillLibrary(const SkillLibrary&) = delete;
  SkillLibrary& operator=(const SkillLibrary&) = delete;

  /// Reads them now, blocking, and then at each interval. False: no directory is configured.
  bool start();

 private:
  void watch();
  void found(FoundSkills skills);
  void say(std::set<std::string> words);

  const SkillsConfig& config_;
  const std::set<std::string> models_;
  Executor& executor_;
  Log& log_;
  const std::function<void(SkillSet)> changed_;
  SkillSet known_;
  bool told_ = false;
  std::set<std::string> said_;  ///< each word about what is wrong once, until it is right again
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
  Lifetime lifetime_;
};

}  // namespace ba::skills
