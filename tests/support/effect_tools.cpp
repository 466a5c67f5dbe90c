// SPDX-License-Identifier: Apache-2.0
#include "tests/support/effect_tools.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/base/assert.hpp"

namespace ba {
namespace {

constexpr Milliseconds kBefore{2};  ///< so that a run can end before its effect
constexpr Milliseconds kAfter{10};  ///< so that it can end between effect and answer

class Journal {
 public:
  explicit Journal(int file) : file_(file) {}
  ~Journal() { ::close(file_); }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// In one write, which O_APPEND keeps whole among several processes.
  void append(const std::string& line) const {
    BA_ASSERT(::write(file_, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  }

 private:
  int file_;
};

class EffectTool final : public Tool {
 public:
  EffectTool(EffectClass effect, Executor& executor, std::shared_ptr<const Journal> journal,
             std::function<void()> happened)
      : executor_(executor), journal_(std::move(journal)), happened_(std::move(happened)) {
    descriptor_.name = "effect_" + std::string(to_string(effect));
    descriptor_.description = "Has an effect that is counted.";
    descriptor_.parameters_schema =
        R"({"type":"object","properties":{"what":{"type":"string"}},"required":["what"]})";
    descriptor_.effect = effect;
  }

  const ToolDescriptor& descriptor() const override { return descriptor_; }

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override {
    return std::make_unique<Run>(*this, std::move(invocation), std::move(done));
  }

 private:
  class Run final : public ToolRun {
   public:
    Run(EffectTool& tool, ToolInvocation invocation, std::function<void(RawToolResult)> done)
        : tool_(tool), invocation_(std::move(invocation)), done_(std::move(done)) {
      timer_ = tool_.executor_.after(kBefore, [this] { act(); });
    }

   private:
    void act() {
      tool_.journal_->append(tool_.line_of(invocation_));
      tool_.happened_();
      timer_ = tool_.executor_.after(kAfter, [this] {
        const auto done = std::move(done_);  // which destroys this run
        RawToolResult result;
        result.data = R"("done")";
        done(std::move(result));
      });
    }

    EffectTool& tool_;
    ToolInvocation invocation_;
    std::function<void(RawToolResult)> done_;
    std::unique_ptr<Timer> timer_;
  };

  std::string line_of(const ToolInvocation& invocation) const {
    const nlohmann::json line{
        {"class", to_string(descriptor_.effect)}, {"job", invocation.job.value},
        {"round", invocation.position.round},     {"step", invocation.position.step},
        {"idx", invocation.position.index},       {"key", invocation.idempotency_key}};
    return line.dump() + "\n";
  }

  Executor& executor_;
  std::shared_ptr<const Journal> journal_;
  std::function<void()> happened_;
  ToolDescriptor descriptor_;
};

}  // namespace

Result<void> add_effect_tools(ToolRegistry& registry, Executor& executor,
                              const std::string& journal, std::function<void()> happened) {
  const int file = ::open(journal.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return invalid_argument("BA_EFFECTS_JOURNAL=" + journal + ": " + std::strerror(errno));
  const auto shared = std::make_shared<const Journal>(file);
  for (const EffectClass effect : {EffectClass::Pure, EffectClass::Keyed, EffectClass::Once}) {
    auto tool = std::make_unique<EffectTool>(effect, executor, shared, happened);
    if (auto added = registry.add(std::move(tool)); !added) return added;
  }
  return {};
}

}  // namespace ba
