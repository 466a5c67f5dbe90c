#pragma once
// SPDX-License-Identifier: Apache-2.0
// The last request of a conversation's model, kept so that the next one, which begins with the same
// messages, is written and hashed only as far as it is new. The bytes and their hash are those of a
// request that is written by itself. While a request is under way its body is the one that is kept;
// between two requests the memory is beside the history's, so it is kept only where it pays and as
// long as all of them fit. Control thread only.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/core/model/request_memory.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/llm/request_writer.hpp"

namespace ba::llm {

struct WrittenRequest {
  std::shared_ptr<const std::string> body;
  std::string hash;  ///< hex SHA-256 of the body; empty: not known yet
};

/// How much memory all kept requests of a client take. Shared by the client and by each of them,
/// which may outlive it.
class KeptBytes {
 public:
  explicit KeptBytes(std::size_t max) : max_(max) {}

  /// Of one that took `before` until now. False: there is no room for it, and it goes on counting
  /// as before.
  bool change(std::size_t before, std::size_t now);

  std::size_t used() const { return used_; }

 private:
  const std::size_t max_;
  std::size_t used_ = 0;
};

/// For all conversations of a client: of 10,000, less than 7 KiB for each.
inline constexpr std::size_t kKeptBytesMax = 64U << 20;

class KeptRequest final : public KeptOfRequest {
 public:
  /// A shorter one is written as fast as it is kept.
  static constexpr std::size_t kBytesLeast = 16U << 10;

  /// What the last request cost, beside a copy where its body was still in use.
  struct Work {
    std::size_t messages = 0;  ///< that were written
    std::size_t bytes = 0;     ///< likewise
    std::size_t hashed = 0;    ///< bytes
  };

  explicit KeptRequest(std::shared_ptr<KeptBytes> all) : all_(std::move(all)) {}
  ~KeptRequest() override { all_->change(counted_, 0); }
  KeptRequest(const KeptRequest&) = delete;
  KeptRequest& operator=(const KeptRequest&) = delete;

  /// The body of a request that goes on from the last one, or of any other. InvalidArgument names
  /// the message that can't be sent; then this is of no use any more.
  Result<std::shared_ptr<const std::string>> write(const ModelRequest& request,
                                                   const ProtocolContext& context);

  /// Of the body that was written last.
  std::string hash();

  /// Whether to keep it until the next request.
  bool pays();

  const Work& work() const { return work_; }

 private:
  void begin(const ModelRequest& request, const ProtocolContext& context);
  bool begins_alike(const ModelRequest& request, const ProtocolContext& context) const;
  void put_head(const std::string& head);
  Result<void> add_messages(const ModelRequest& request);

  const std::shared_ptr<KeptBytes> all_;
  std::size_t counted_ = 0;  ///< of all_
  const ModelConfig* model_ = nullptr;
  std::unique_ptr<RequestWriter> writer_;
  std::size_t messages_ = 0;  ///< that were added to it
  MessageId last_;            ///< of these
  std::shared_ptr<std::string> body_;
  std::size_t head_ = 0;     ///< bytes of the body
  std::size_t settled_ = 0;  ///< likewise, with the head: a request that goes on has them, too
  std::optional<ContentHash> hash_;
  std::size_t hashed_ = 0;  ///< bytes of the body that were added to it
  Work work_;
};

/// With what is kept in the request's memory, which is kept there where it pays.
Result<WrittenRequest> write_request(const ModelRequest& request, const ProtocolContext& context,
                                     const std::shared_ptr<KeptBytes>& all);

}  // namespace ba::llm
