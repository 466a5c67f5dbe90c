#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every Tool does, asked through a rig that each implementation has.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/core/tool/tool.hpp"

namespace ba {

class ToolRig {
 public:
  virtual ~ToolRig() = default;

  virtual Tool& tool() = 0;

  /// Destroys the tool, of which no call is left.
  virtual void close() = 0;

  /// Calls that are valid and succeed, each another one.
  virtual ToolInvocation call(int number) = 0;

  /// What the tool answers to that call.
  virtual std::string data(int number) = 0;

  /// Runs `task` where calls may be made.
  virtual void act(const std::function<void()>& task) { task(); }

  /// Lets time pass until `reached` holds; false when that takes longer than any test should.
  virtual bool run_until(const std::function<bool()>& reached) = 0;

  /// Lets so much time pass that whatever is under way has happened.
  virtual void settle() = 0;
};

struct ToolKind {
  std::string name;
  std::function<std::unique_ptr<ToolRig>()> make;
};

inline void PrintTo(const ToolKind& kind, std::ostream* out) { *out << kind.name; }
inline std::string kind_name(const testing::TestParamInfo<ToolKind>& info) {
  return info.param.name;
}

/// One run, or one question for a status, and what was heard of it.
template <typename Answer>
struct Heard {
  std::unique_ptr<ToolRun> run;
  std::vector<Answer> answers;
  std::function<void()> at_answer;

  std::function<void(Answer)> listener() {
    return [this, control = std::this_thread::get_id()](Answer answer) {
      EXPECT_EQ(std::this_thread::get_id(), control);
      answers.push_back(std::move(answer));
      if (at_answer) at_answer();
    };
  }
};

class ToolContract : public testing::TestWithParam<ToolKind> {
 protected:
  using HeardCall = Heard<RawToolResult>;

  void start(HeardCall& call, int number = 0);
  bool run_until(const std::function<bool()>& reached) { return rig_->run_until(reached); }
  void expect_success(const HeardCall& call, int number = 0);

  std::unique_ptr<ToolRig> rig_ = GetParam().make();
};

}  // namespace ba
