// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/result_items.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/message/json_view.hpp"

namespace ba::tools {
namespace {

/// How often it is looked whether anybody still waits.
constexpr std::chrono::milliseconds kLook{20};

/// Of one chunk; a larger item is one of its own.
constexpr std::size_t kChunkBytes = 1024 * 1024;

std::int64_t size_of(std::string_view text) { return static_cast<std::int64_t>(text.size()); }

/// As every result is stored; none of what isn't JSON that can be.
std::optional<std::string> stored_form(std::string_view item) {
  if (!json_shape(item).within_limits()) return std::nullopt;
  const auto json = parse_exact<OrderedJson>(item);
  if (json.is_discarded()) return std::nullopt;
  return write_json_document(json);
}

ToolError not_json() {
  return {ToolErrorType::InternalError, "INVALID_TOOL_RESULT",
          "a row of the result is not JSON of " + json_shape_limits()};
}

}  // namespace

/// Shared with the answer, which may come when nobody waits any more.
struct WaitingChunks::Waiting {
  std::mutex mutex;
  std::condition_variable wake;
  std::optional<Result<std::string>> answer;
};

Result<std::string> WaitingChunks::put(DataChunk chunk) {
  const auto waiting = std::make_shared<Waiting>();
  const auto ours = std::make_shared<DataChunk>(std::move(chunk));
  executor_.post([sink = sink_, ours, waiting] {
    sink->put(std::move(*ours), [waiting](Result<std::string> answer) {
      const std::lock_guard lock(waiting->mutex);
      waiting->answer.emplace(std::move(answer));
      waiting->wake.notify_all();
    });
  });
  std::unique_lock lock(waiting->mutex);
  while (!waiting->answer && !cancellation_.cancelled()) waiting->wake.wait_for(lock, kLook);
  if (waiting->answer) return std::move(*waiting->answer);
  Error error;
  error.code = ErrorCode::Cancelled;
  error.message = "nobody waits for the result any more";
  return error;
}

ResultItems::ResultItems(std::int64_t bytes_max, ResultRoom room)
    : store_(room.store), bytes_max_(bytes_max) {
  const std::int64_t most = store_ ? store_->bytes_max() : room.held_bytes_max;
  if (most >= bytes_max_) return;
  bytes_max_ = most;
  limited_by_ = store_ ? "tools.artifacts.artifact_bytes_max" : "no artifacts are kept";
}

ResultItems::Added ResultItems::add(std::string_view item, bool anyhow) {
  if (error_ || lost_) return Added::Failed;
  const std::int64_t before = put_away_ ? put_away_->told.bytes : size_of(held_);
  const std::int64_t after = before + size_of(item);
  if (after > bytes_max_ && !anyhow) return Added::TooLarge;
  if (!put_away_ && store_ && after > kHeldBytesMax)
    if (const Added begun = begin_to_put_away(); begun != Added::Yes) return begun;
  if (put_away_) {
    std::optional<std::string> form = stored_form(item);
    if (!form) return failed(not_json());
    if (count_ == 0) return put_away_as_beginning(std::move(*form));
    return put_away(std::move(*form));
  }
  if (count_++ > 0) held_ += ',';
  held_ += item;
  return Added::Yes;
}

/// What was held until now is the beginning, and the first of what is put away.
ResultItems::Added ResultItems::begin_to_put_away() {
  put_away_ = std::make_unique<PutAway>();
  const std::string array = "[" + std::exchange(held_, "") + "]";
  count_ = 0;
  Added added = Added::Yes;
  JsonView::of_proven(array).for_each_element([&](JsonView item) {
    if (added != Added::Yes) return;
    std::optional<std::string> form = stored_form(item.raw());
    added = form ? put_away_as_beginning(std::move(*form)) : failed(not_json());
  });
  return added;
}

ResultItems::Added ResultItems::put_away_as_beginning(std::string item) {
  store_->clean(item);
  const Added added = put_away(item);
  if (added != Added::Yes) return added;
  if (put_away_->held_items++ > 0) held_ += ',';
  held_ += item;
  return added;
}

ResultItems::Added ResultItems::put_away(std::string item) {
  store_->clean(item);
  PutAway& away = *put_away_;
  constexpr std::int64_t kComma = 1;
  constexpr std::int64_t kEnd = 1;
  if (away.told.bytes + kComma + size_of(item) + kEnd > bytes_max_) return Added::TooLarge;
  const std::string comma = count_ > 0 ? "," : "[";
  away.hash.add(comma);
  away.hash.add(item);
  away.told.bytes += 1 + size_of(item);
  if (away.chunk.items > 0) away.chunk.data += ',';
  away.chunk.data += item;
  ++away.chunk.items;
  ++count_;
  if (away.chunk.data.size() >= kChunkBytes && !flush()) return Added::Failed;
  return Added::Yes;
}

/// What is in the chunk that is being filled; the next one begins.
bool ResultItems::flush() {
  DataChunk& chunk = put_away_->chunk;
  if (chunk.items == 0) return true;
  DataChunk next;
  next.index = chunk.index + 1;
  next.first_item = chunk.first_item + chunk.items;
  Result<std::string> upload = store_->put(std::exchange(chunk, std::move(next)));
  if (!upload) {
    lost_ = true;
    return false;
  }
  put_away_->told.upload = std::move(*upload);
  ++put_away_->told.chunks;
  return true;
}

ResultItems::Added ResultItems::failed(ToolError error) {
  error_ = std::move(error);
  return Added::Failed;
}

void ResultItems::finish(RawToolResult& result) {
  if (put_away_ && !error_ && !lost_) flush();
  if (error_) {
    result.error = std::move(error_);
    return;
  }
  if (lost_) return give_what_was_held(result);
  if (!put_away_) {
    result.data = "[" + held_ + "]";
    return;
  }
  put_away_->hash.add("]");
  ChunkedData& told = put_away_->told;
  told.beginning = "[" + held_ + "]";
  told.items = count_;
  told.bytes += 1;
  told.hash = put_away_->hash.hex();
  result.chunked = std::move(told);
}

void ResultItems::give_what_was_held(RawToolResult& result) const {
  result.data = "[" + held_ + "]";
  result.not_cacheable = true;
  result.note = "Only the first " + std::to_string(put_away_->held_items) +
                " rows: the others could not be stored, where results are kept can't be reached "
                "at the moment. Ask again later, or for less.";
}

}  // namespace ba::tools
