// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/lifetime.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace ba {
namespace {

TEST(Lifetime, AWatchSeesWhenItsOwnerIsGone) {
  std::optional<Lifetime> owner(std::in_place);
  const Lifetime::Watch watch = owner->watch();
  const Lifetime::Watch copy = watch;
  EXPECT_FALSE(watch.over());
  owner.reset();
  EXPECT_TRUE(watch.over());
  EXPECT_TRUE(copy.over());
}

TEST(Lifetime, AGuardedCallIsMadeAsLongAsTheOwnerIsThere) {
  std::optional<Lifetime> owner(std::in_place);
  int sum = 0;
  std::function<void(int, int)> add = owner->guarded([&](int a, int b) { sum += a + b; });
  add(1, 2);
  add(3, 4);
  EXPECT_EQ(sum, 10);
  owner.reset();
  add(5, 6);
  EXPECT_EQ(sum, 10);
}

TEST(Lifetime, AGuardedCallIsHandedWhatItsCallerGives) {
  const Lifetime owner;
  std::unique_ptr<int> taken;
  auto take = owner.guarded([&](std::unique_ptr<int> given) { taken = std::move(given); });
  take(std::make_unique<int>(7));
  EXPECT_EQ(*taken, 7);
}

TEST(Lifetime, AGuardedCallMayDestroyTheOwner) {
  auto owner = std::make_unique<Lifetime>();
  int calls = 0;
  std::function<void()> end = owner->guarded([&] {
    ++calls;
    owner.reset();
  });
  end();
  end();
  EXPECT_EQ(calls, 1);
}

TEST(Lifetime, EndsBeforeItsOwnerDoesWhereThatSaysSo) {
  Lifetime owner;
  const Lifetime::Watch watch = owner.watch();
  owner.end();
  EXPECT_TRUE(watch.over());
  EXPECT_TRUE(owner.watch().over());
}

}  // namespace
}  // namespace ba
