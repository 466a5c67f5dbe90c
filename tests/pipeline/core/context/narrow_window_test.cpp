// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/narrow_window.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

constexpr RefusedContext kSent{10'000, 2'000};

std::int64_t narrowed(std::optional<std::int64_t> limit, std::optional<std::int64_t> counted,
                      bool with_output = false, RefusedContext sent = kSent) {
  return narrowed_window({limit, counted, with_output}, sent);
}

TEST(NarrowWindow, IsWhatTheProviderTakesByTheRatioOfTheCounts) {
  EXPECT_EQ(narrowed(8'000, 20'000), 4'000);
  EXPECT_EQ(narrowed(8'000, 10'000), 8'000);
  EXPECT_EQ(narrowed(8'000, 5'000, false, {4'000, 6'000}), 6'400) << "with what a reply may take";
}

TEST(NarrowWindow, ReckonsWithTheReplyWhereItWasCounted) {
  EXPECT_EQ(narrowed(8'000, 12'000, true), 8'000);
  EXPECT_EQ(narrowed(8'000, 24'000, true), 4'000);
}

/// An agent that says nothing of it leaves the length of a reply to its model.
TEST(NarrowWindow, ReckonsWithTheReplyThatTheProviderTellsOf) {
  EXPECT_EQ(narrowed_window({131'072, 125'000, false, 8'192}, {125'000, 0}), 131'072);
  EXPECT_EQ(narrowed_window({131'072, 125'000, false, {}}, {125'000, 0}), 78'125);
}

TEST(NarrowWindow, IsTheLimitAloneWhereNothingElseIsTold) {
  EXPECT_EQ(narrowed(8'000, std::nullopt), 8'000);
}

/// No more of such a window is used than half of what was sent.
TEST(NarrowWindow, IsSmallerThanWhatWasSentWhereNothingExplainsTheRefusal) {
  EXPECT_EQ(narrowed(std::nullopt, std::nullopt), 6'250);
  EXPECT_EQ(narrowed(std::nullopt, 20'000), 6'250);
  EXPECT_EQ(narrowed(1'000'000, std::nullopt), 6'250);
  EXPECT_EQ(narrowed(20'000, 10'000), 6'250);
}

TEST(NarrowWindow, NoGuessIsSmallerThanAnybodysWindow) {
  EXPECT_EQ(narrowed(std::nullopt, std::nullopt, false, {300, 0}), kGuessedWindowLeast);
  EXPECT_EQ(narrowed(200, 300, false, {300, 0}), 200) << "told";
}

TEST(NarrowWindow, NumbersThatCanNotBeAreNotTold) {
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{-5}, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(narrowed(number, 20'000), 6'250) << number;
    EXPECT_EQ(narrowed(8'000, number), 8'000) << number;
  }
  EXPECT_GE(narrowed(1, 1'000'000'000, false, {1, 0}), 1);
}

RefusedContextRow row(const std::string& model, std::int64_t window, std::int64_t of_window) {
  RefusedContextRow row;
  row.model = model;
  row.window = window;
  row.of_window = of_window;
  return row;
}

TEST(NarrowWindow, RefusalsHoldForTheirModelAsItIsConfiguredAndOnlyNarrow) {
  const std::vector<RefusedContextRow> rows{row("a", 500, 1'000), row("b", 300, 1'000),
                                            row("a", 700, 1'000), row("a", 100, 2'000)};
  EXPECT_EQ(window_after(rows, "a", 1'000), 500);
  EXPECT_EQ(window_after(rows, "b", 1'000), 300);
  EXPECT_EQ(window_after(rows, "a", 2'000), 100);
  EXPECT_EQ(window_after(rows, "a", 3'000), 3'000);
  EXPECT_EQ(window_after(rows, "c", 1'000), 1'000);
  EXPECT_EQ(window_after({}, "a", 0), 0);
  const std::vector<RefusedContextRow> unknown{row("a", 500, 0)};
  EXPECT_EQ(window_after(unknown, "a", 0), 500);
}

TEST(NarrowWindow, AReplyMayTakeHalfOfIt) {
  EXPECT_EQ(output_ceiling(1'000), 500);
  EXPECT_EQ(output_ceiling(1), 1);
}

}  // namespace
}  // namespace ba
