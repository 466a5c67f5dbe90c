// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/blocking_runs.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/loop_executor.hpp"

namespace ba::tools {
namespace {

TEST(Cancellation, WorksInAProcessWithoutDescriptorsLeft) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  Cancellation cancellation;
  const int descriptor = cancellation.descriptor();
  cancellation.cancel();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(descriptor, -1);
  EXPECT_TRUE(cancellation.cancelled());
}

bool readable(int descriptor) {
  pollfd watched{descriptor, POLLIN, 0};
  return poll(&watched, 1, 0) == 1;
}

TEST(Cancellation, IsReadableWheneverItIsAskedFor) {
  Cancellation before;
  before.cancel();
  EXPECT_TRUE(readable(before.descriptor()));
  Cancellation after;
  EXPECT_FALSE(readable(after.descriptor()));
  after.cancel();
  EXPECT_TRUE(readable(after.descriptor()));
  Cancellation lent;
  lent.cancel();
  lent.lend(Cancellation().take_back());
  EXPECT_TRUE(readable(lent.descriptor()));
}

TEST(Cancellation, LeavesItsDescriptorUnlessItWasCancelled) {
  Cancellation one;
  const int descriptor = one.descriptor();
  Descriptor left = one.take_back();
  EXPECT_EQ(left.get(), descriptor);
  one.cancel();  // too late for whoever has it now
  EXPECT_FALSE(readable(left.get()));
  Cancellation next;
  next.lend(std::move(left));
  EXPECT_EQ(next.descriptor(), descriptor);
  next.cancel();
  EXPECT_TRUE(readable(descriptor));
  EXPECT_FALSE(next.take_back().valid());
}

RawToolResult result_with(std::string data) {
  RawToolResult result;
  result.data = std::move(data);
  return result;
}

TEST(BlockingRuns, AnswersOnTheControlThread) {
  LoopExecutor executor;
  BlockingRuns runs("test", 2, executor);
  const auto control = std::this_thread::get_id();
  std::string data;
  auto handle = runs.start(
      [&](int worker, const Cancellation&, const BlockingRuns::Answer& answer) {
        EXPECT_NE(std::this_thread::get_id(), control);
        EXPECT_LT(worker, 2);
        answer(result_with("1"));
      },
      [&](RawToolResult raw) {
        EXPECT_EQ(std::this_thread::get_id(), control);
        data = raw.data;
      });
  EXPECT_TRUE(executor.run_until([&] { return data == "1"; }));
}

TEST(BlockingRuns, TurnsAnExceptionIntoAnError) {
  LoopExecutor executor;
  BlockingRuns runs("test", 1, executor);
  std::optional<RawToolResult> result;
  auto handle = runs.start([](int, const Cancellation&,
                              const BlockingRuns::Answer&) { throw std::runtime_error("no luck"); },
                           [&](RawToolResult raw) { result = std::move(raw); });
  ASSERT_TRUE(executor.run_until([&] { return result.has_value(); }));
  EXPECT_EQ(result->error->code, "TOOL_FAILED");
  EXPECT_EQ(result->error->message.find("no luck"), std::string::npos);
  EXPECT_EQ(result->error_context, "no luck");
}

TEST(BlockingRuns, WakesABlockedCallWhenItsRunIsDestroyed) {
  LoopExecutor executor;
  std::atomic<bool> blocked{false};
  std::atomic<bool> woken{false};
  BlockingRuns runs("test", 1, executor);
  auto handle = runs.start(
      [&](int, const Cancellation& cancellation, const BlockingRuns::Answer& answer) {
        pollfd watched{cancellation.descriptor(), POLLIN, 0};
        blocked = true;
        poll(&watched, 1, 60000);
        woken = cancellation.cancelled();
        answer(result_with("late"));
      },
      [](RawToolResult) { FAIL() << "an answer after the end"; });
  ASSERT_TRUE(executor.run_until([&] { return blocked.load(); }));
  handle.reset();
  EXPECT_TRUE(executor.run_until([&] { return woken.load(); }));
  executor.run_until([] { return false; }, Milliseconds(20));  // the late answer comes to nothing
}

/// Marks the open file behind a descriptor; whether it had no mark.
bool marked_now(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  return (flags & O_APPEND) == 0 && fcntl(descriptor, F_SETFL, flags | O_APPEND) == 0;
}

TEST(BlockingRuns, MakesOneDescriptorForAllCallsOfAThreadThatNobodyCancels) {
  LoopExecutor executor;
  BlockingRuns runs("test", 1, executor);
  std::atomic<int> made{0};
  const auto call = [&](int calls) {
    for (int i = 0; i < calls; ++i) {
      bool answered = false;
      const auto handle = runs.start(
          [&](int, const Cancellation& cancellation, const BlockingRuns::Answer& answer) {
            if (marked_now(cancellation.descriptor())) ++made;
            EXPECT_FALSE(readable(cancellation.descriptor()));
            answer(result_with("1"));
          },
          [&](RawToolResult) { answered = true; });
      ASSERT_TRUE(executor.run_until([&] { return answered; }));
    }
  };
  call(50);
  EXPECT_EQ(made, 1);
  std::promise<void> cancelled;
  std::atomic<bool> begun{false};
  auto handle = runs.start(
      [&](int, const Cancellation& cancellation, const BlockingRuns::Answer&) {
        EXPECT_FALSE(marked_now(cancellation.descriptor()));
        begun = true;
        cancelled.get_future().wait();
        EXPECT_TRUE(readable(cancellation.descriptor()));
      },
      [](RawToolResult) {});
  ASSERT_TRUE(executor.run_until([&] { return begun.load(); }));
  handle.reset();
  cancelled.set_value();
  call(50);
  EXPECT_EQ(made, 2);
}

TEST(BlockingRuns, CallsOneAfterTheOtherGoToTheThreadThatWorkedLast) {
  constexpr std::size_t kThreads = 8;
  LoopExecutor executor;
  BlockingRuns runs("test", kThreads, executor);
  std::set<int> workers;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(executor.run_until([&] { return runs.idle() == kThreads; }));
    bool answered = false;
    const auto handle = runs.start(
        [&](int worker, const Cancellation&, const BlockingRuns::Answer& answer) {
          workers.insert(worker);
          answer(result_with("1"));
        },
        [&](RawToolResult) { answered = true; });
    ASSERT_TRUE(executor.run_until([&] { return answered; }));
  }
  EXPECT_EQ(workers.size(), 1u);
}

/// A call that says who works on it, and ends when it is let go. Outlives the threads.
struct HeldCall {
  std::promise<int> begun;
  std::promise<void> go;

  std::unique_ptr<ToolRun> start(BlockingRuns& runs) {
    return runs.start(
        [this](int worker, const Cancellation&, const BlockingRuns::Answer& answer) {
          begun.set_value(worker);
          go.get_future().wait();
          answer(result_with("1"));
        },
        [](RawToolResult) {});
  }
};

TEST(BlockingRuns, AThreadAtWorkTakesACallThatCameMeanwhile) {
  constexpr std::size_t kThreads = 4;
  HeldCall first;
  HeldCall second;
  LoopExecutor executor;
  BlockingRuns runs("test", kThreads, executor, std::chrono::hours(1));
  ASSERT_TRUE(executor.run_until([&] { return runs.idle() == kThreads; }));
  const auto one = first.start(runs);
  const int worker = first.begun.get_future().get();
  const auto other = second.start(runs);
  first.go.set_value();
  second.go.set_value();
  EXPECT_EQ(second.begun.get_future().get(), worker);
}

TEST(BlockingRuns, ACallDoesNotWaitForALongOne) {
  constexpr std::size_t kThreads = 4;
  std::vector<HeldCall> calls(kThreads);
  LoopExecutor executor;
  BlockingRuns runs("test", kThreads, executor);
  ASSERT_TRUE(executor.run_until([&] { return runs.idle() == kThreads; }));
  std::vector<std::unique_ptr<ToolRun>> handles;
  for (HeldCall& call : calls) handles.push_back(call.start(runs));
  EXPECT_TRUE(executor.run_until([&] { return runs.idle() == 0; }));
  std::set<int> workers;
  for (HeldCall& call : calls) workers.insert(call.begun.get_future().get());
  EXPECT_EQ(workers.size(), kThreads);
  for (HeldCall& call : calls) call.go.set_value();
}

TEST(BlockingRuns, BesideALongCallTheNextBeginsAtOnce) {
  constexpr std::size_t kThreads = 2;
  HeldCall long_one;
  HeldCall next;
  LoopExecutor executor;
  BlockingRuns runs("test", kThreads, executor, Milliseconds(0));
  ASSERT_TRUE(executor.run_until([&] { return runs.idle() == kThreads; }));
  const auto one = long_one.start(runs);
  const int worker = long_one.begun.get_future().get();
  const auto other = next.start(runs);
  EXPECT_NE(next.begun.get_future().get(), worker);  // no time passes for the control thread
  long_one.go.set_value();
  next.go.set_value();
}

TEST(BlockingRuns, CallsAtOnceGoToAsManyThreadsAsThereAre) {
  constexpr std::size_t kThreads = 3;
  LoopExecutor executor;
  BlockingRuns runs("test", kThreads, executor);
  std::mutex mutex;
  std::condition_variable all_there;
  std::set<int> workers;
  std::size_t answered = 0;
  std::vector<std::unique_ptr<ToolRun>> handles;
  for (std::size_t i = 0; i < 2 * kThreads; ++i)
    handles.push_back(runs.start(
        [&](int worker, const Cancellation&, const BlockingRuns::Answer& answer) {
          std::unique_lock lock(mutex);
          workers.insert(worker);
          all_there.notify_all();
          all_there.wait(lock, [&] { return workers.size() == kThreads; });
          answer(result_with("1"));
        },
        [&](RawToolResult) { ++answered; }));
  EXPECT_TRUE(executor.run_until([&] { return answered == 2 * kThreads; }));
}

/// One thread, and what keeps it busy until it is let go.
struct Busy {
  Busy() {
    held = runs.start(
        [this](int, const Cancellation&, const BlockingRuns::Answer& answer) {
          began = true;
          go.get_future().wait();
          answer(result_with("first"));
        },
        [this](RawToolResult raw) { first = std::move(raw.data); },
        BlockingRuns::Patience{kPatience, result_with("too late")});
  }

  static constexpr Milliseconds kPatience{1000};  // a thread may begin late on a busy machine

  LoopExecutor executor;
  std::promise<void> go;
  std::atomic<bool> began{false};
  std::string first;
  BlockingRuns runs{"test", 1, executor};
  std::unique_ptr<ToolRun> held;
};

TEST(BlockingRuns, ACallThatWaitedTooLongNeverBegins) {
  Busy busy;
  ASSERT_TRUE(busy.executor.run_until([&] { return busy.began.load(); }));
  std::atomic<bool> ran{false};
  std::string second;
  const auto waits = busy.runs.start(
      [&](int, const Cancellation&, const BlockingRuns::Answer& answer) {
        ran = true;
        answer(result_with("second"));
      },
      [&](RawToolResult raw) { second += raw.data; },
      BlockingRuns::Patience{Milliseconds(5), result_with("no thread")});
  EXPECT_TRUE(busy.executor.run_until([&] { return !second.empty(); }));
  busy.go.set_value();
  EXPECT_TRUE(busy.executor.run_until([&] { return !busy.first.empty(); }));
  EXPECT_EQ(second, "no thread");
  EXPECT_FALSE(ran);
}

TEST(BlockingRuns, ACallThatBeganIsLetFinish) {
  Busy busy;
  ASSERT_TRUE(busy.executor.run_until([&] { return busy.began.load(); }));
  busy.executor.run_until([] { return false; }, Busy::kPatience * 3 / 2);
  EXPECT_EQ(busy.first, "");
  busy.go.set_value();
  EXPECT_TRUE(busy.executor.run_until([&] { return !busy.first.empty(); }));
  EXPECT_EQ(busy.first, "first");
}

TEST(BlockingRuns, MayBeDestroyedInsideTheAnswer) {
  LoopExecutor executor;
  BlockingRuns runs("test", 1, executor);
  std::unique_ptr<ToolRun> handle;
  bool answered = false;
  handle = runs.start([](int, const Cancellation&,
                         const BlockingRuns::Answer& answer) { answer(result_with("1")); },
                      [&](RawToolResult) {
                        handle.reset();
                        answered = true;
                      });
  EXPECT_TRUE(executor.run_until([&] { return answered; }));
}

}  // namespace
}  // namespace ba::tools
