// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/result_items.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba::tools {
namespace {

/// Keeps what it is given, and counts what a result has in memory beside it.
class CountingStore final : public ChunkStore {
 public:
  std::int64_t bytes_max() const override { return most; }
  void clean(std::string& item) const override {
    if (const auto at = item.find("s3cret"); at != std::string::npos) item.replace(at, 6, "******");
  }
  Result<std::string> put(DataChunk chunk) override {
    largest = std::max(largest, std::ssize(chunk.data));
    if (std::ssize(chunks) == fails_at) {
      Error error;
      error.code = ErrorCode::Unavailable;
      error.message = "10.0.0.1 is gone";
      return error;
    }
    chunks.push_back(std::move(chunk));
    return std::string("u1");
  }
  std::string array() const {
    std::string all = "[";
    for (const DataChunk& chunk : chunks) all += (all.size() > 1 ? "," : "") + chunk.data;
    return all + "]";
  }

  std::int64_t most = 64LL << 20;
  std::ptrdiff_t fails_at = -1;
  std::ptrdiff_t largest = 0;
  std::vector<DataChunk> chunks;
};

std::string item(int number, std::size_t bytes = 1000) {
  return "{\"n\": " + std::to_string(number) + ",\"pad\":\"" + std::string(bytes, 'x') + "\"}";
}

TEST(ResultItems, AreHeldWhileTheyAreFew) {
  CountingStore store;
  ResultItems items(64LL << 20, {&store});
  EXPECT_EQ(items.add("{\"a\": 1}"), ResultItems::Added::Yes);
  EXPECT_EQ(items.add("2"), ResultItems::Added::Yes);
  RawToolResult result;
  items.finish(result);
  EXPECT_EQ(result.data, "[{\"a\": 1},2]");
  EXPECT_FALSE(result.chunked);
  EXPECT_TRUE(store.chunks.empty());
}

TEST(ResultItems, OfManyOnlyTheBeginningIsHeldAndNoItemIsLost) {
  CountingStore store;
  ResultItems items(64LL << 20, {&store});
  constexpr int kItems = 40'000;
  for (int i = 0; i < kItems; ++i) ASSERT_EQ(items.add(item(i)), ResultItems::Added::Yes);
  EXPECT_LE(std::ssize(items.held()), kHeldBytesMax);
  RawToolResult result;
  items.finish(result);
  ASSERT_TRUE(result.chunked);
  const ChunkedData& told = *result.chunked;
  EXPECT_EQ(told.items, kItems);
  EXPECT_EQ(told.upload, "u1");
  EXPECT_EQ(told.chunks, std::ssize(store.chunks));
  EXPECT_LT(store.largest, (1 << 20) + 2000) << "of one chunk, whatever the result has";
  const std::string array = store.array();
  EXPECT_EQ(told.bytes, std::ssize(array));
  EXPECT_EQ(told.hash, sha256_hex_of(array)) << "as if it had been held";
  EXPECT_TRUE(array.starts_with(R"([{"n":0,"pad":)")) << "in the form in which results are stored";
  EXPECT_TRUE(array.starts_with(told.beginning.substr(0, told.beginning.size() - 1)));
  std::int64_t next = 0;
  for (const DataChunk& chunk : store.chunks) {
    EXPECT_EQ(chunk.first_item, next);
    next += chunk.items;
  }
  EXPECT_EQ(next, kItems);
}

TEST(ResultItems, TheSameItemsHaveTheSameHashAndChunks) {
  const auto run = [] {
    CountingStore store;
    ResultItems items(64LL << 20, {&store});
    for (int i = 0; i < 3000; ++i) items.add(item(i));
    RawToolResult result;
    items.finish(result);
    return std::pair(result.chunked, store.chunks);
  };
  EXPECT_EQ(run(), run());
}

TEST(ResultItems, EndAtTheLimitWhichTellsWhoseItIs) {
  CountingStore store;
  ResultItems own(3LL << 20, {&store});
  int added = 0;
  while (own.add(item(added)) == ResultItems::Added::Yes) ++added;
  EXPECT_NEAR(added, (3 << 20) / 1018, 20);
  EXPECT_EQ(own.limited_by(), "result_bytes_max");
  RawToolResult result;
  own.finish(result);
  EXPECT_EQ(result.chunked.value().items, added);
  EXPECT_LE(result.chunked.value().bytes, 3 << 20) << "with brackets and commas";
  EXPECT_GT(result.chunked.value().bytes, (3 << 20) - 1100);
  store.most = 2 << 20;
  EXPECT_EQ(ResultItems(3LL << 20, {&store}).limited_by(), "tools.artifacts.artifact_bytes_max");
  EXPECT_EQ(ResultItems(3LL << 20, {&store}).bytes_max(), 2 << 20);
  const ResultItems held(3LL << 20, {nullptr, kHeldBytesMax});
  EXPECT_EQ(held.bytes_max(), kHeldBytesMax);
  EXPECT_EQ(held.limited_by(), "no artifacts are kept");
}

TEST(ResultItems, AStoreThatTakesNoMoreLeavesWhatWasHeld) {
  CountingStore store;
  store.fails_at = 1;
  ResultItems items(64LL << 20, {&store});
  int added = 0;
  while (items.add(item(added)) == ResultItems::Added::Yes) ++added;
  EXPECT_LT(added, 2200) << "it stops there";
  RawToolResult result;
  result.note = "Only the first 100 rows.";
  items.finish(result);
  EXPECT_FALSE(result.error);
  EXPECT_FALSE(result.chunked);
  EXPECT_TRUE(result.not_cacheable);
  EXPECT_TRUE(result.data.starts_with(R"([{"n":0,)"));
  EXPECT_TRUE(result.note.starts_with("Only the first 10")) << result.note;
  EXPECT_NE(result.note.find("could not be stored"), std::string::npos);
  EXPECT_EQ(result.note.find("10.0.0.1"), std::string::npos);
}

TEST(ResultItems, WhatMustNotBeKeptIsTakenOutOfEachItem) {
  CountingStore store;
  ResultItems items(64LL << 20, {&store});
  for (int i = 0; i < 3000; ++i)
    items.add(R"({"a":"s3cret","pad":")" + std::string(1000, 'x') + "\"}");
  RawToolResult result;
  items.finish(result);
  EXPECT_EQ(store.array().find("s3cret"), std::string::npos);
  EXPECT_EQ(result.chunked.value().beginning.find("s3cret"), std::string::npos);
  EXPECT_EQ(result.chunked.value().hash, sha256_hex_of(store.array()));
}

TEST(ResultItems, AnItemThatIsNoJsonThatCanBeStoredIsAnError) {
  CountingStore store;
  ResultItems items(64LL << 20, {&store});
  for (int i = 0; i < 2000; ++i) items.add(item(i));
  EXPECT_EQ(items.add(std::string(100, '[') + std::string(100, ']')), ResultItems::Added::Failed);
  EXPECT_EQ(items.add("1"), ResultItems::Added::Failed);
  RawToolResult result;
  items.finish(result);
  EXPECT_EQ(result.error.value().code, "INVALID_TOOL_RESULT");
}

}  // namespace
}  // namespace ba::tools
