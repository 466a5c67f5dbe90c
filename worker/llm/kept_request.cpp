// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/kept_request.hpp"

#include "worker/llm/message_parts.hpp"

namespace ba::llm {
namespace {

KeptRequest& kept_in(RequestMemory& memory, const std::shared_ptr<KeptBytes>& all) {
  auto* kept = dynamic_cast<KeptRequest*>(memory.kept.get());
  if (kept != nullptr) return *kept;
  auto made = std::make_unique<KeptRequest>(all);
  kept = made.get();
  memory.kept = std::move(made);
  return *kept;
}

/// Room for the next steps. Thousands of short bodies wait at once, and a long one is dear to copy.
std::size_t room_to_grow(std::size_t bytes) {
  constexpr std::size_t kShort = 64U << 10;
  constexpr std::size_t kRoomOfShort = 256;
  return bytes < kShort ? kRoomOfShort : bytes / 16;
}

/// A text grows by doubling.
void give_back_slack(std::string& body) {
  const std::size_t room = room_to_grow(body.size());
  if (body.capacity() - body.size() <= 2 * room) return;
  std::string fitting;
  fitting.reserve(body.size() + room);
  fitting += body;
  body = std::move(fitting);
}

}  // namespace

bool KeptBytes::change(std::size_t before, std::size_t now) {
  const std::size_t others = used_ - before;
  if (now > 0 && others + now > max_) return false;
  used_ = others + now;
  return true;
}

Result<std::shared_ptr<const std::string>> KeptRequest::write(const ModelRequest& request,
                                                              const ProtocolContext& context) {
  if (auto valid = check_history(request); !valid) return valid.error();
  begin(request, context);
  put_head(writer_->head(request, context));
  if (auto added = add_messages(request); !added) return added.error();
  const std::string end = writer_->end();
  *body_ += end;
  work_.bytes += end.size();
  give_back_slack(*body_);
  return std::shared_ptr<const std::string>(body_);
}

/// With a body of what stays of the last one.
void KeptRequest::begin(const ModelRequest& request, const ProtocolContext& context) {
  work_ = {};
  if (begins_alike(request, context) && writer_->goes_on(request, context)) {
    if (body_.use_count() == 1)
      body_->resize(settled_);
    else
      body_ = std::make_shared<std::string>(*body_, 0, settled_);
    return;
  }
  model_ = &context.model;
  writer_ = context.provider.protocol->request_writer(request, context);
  messages_ = 0;
  body_ = std::make_shared<std::string>();
  head_ = settled_ = 0;
  hash_.reset();
}

/// The memory says so by being the same one; the last message proves it.
bool KeptRequest::begins_alike(const ModelRequest& request, const ProtocolContext& context) const {
  return writer_ && model_ == &context.model && messages_ > 0 &&
         messages_ <= request.messages.size() &&
         meta_of(*request.messages[messages_ - 1]).message_id == last_;
}

void KeptRequest::put_head(const std::string& head) {
  work_.bytes += head.size();
  if (std::string_view(*body_).substr(0, head_) == head) return;
  body_->replace(0, head_, head);
  head_ = head.size();
  settled_ = body_->size();
  hash_.reset();
}

Result<void> KeptRequest::add_messages(const ModelRequest& request) {
  const std::size_t before = body_->size();
  for (; messages_ < request.messages.size(); ++messages_) {
    const Message& message = *request.messages[messages_];
    if (auto added = writer_->add(message, messages_); !added) return added;
    writer_->settle(*body_);
    last_ = meta_of(message).message_id;
    ++work_.messages;
  }
  settled_ = body_->size();
  work_.bytes += settled_ - before;
  return {};
}

std::string KeptRequest::hash() {
  if (!hash_) {
    hash_.emplace();
    hashed_ = 0;
  }
  const std::string_view body = *body_;
  hash_->add(body.substr(hashed_, settled_ - hashed_));
  work_.hashed = body.size() - hashed_;
  hashed_ = settled_;
  return hash_->hex_with(body.substr(settled_));
}

bool KeptRequest::pays() {
  if (body_->size() < kBytesLeast) return false;
  const std::size_t now = body_->capacity() + writer_->bytes() + sizeof(*this);
  if (!all_->change(counted_, now)) return false;
  counted_ = now;
  return true;
}

Result<WrittenRequest> write_request(const ModelRequest& request, const ProtocolContext& context,
                                     const std::shared_ptr<KeptBytes>& all) {
  RequestMemory once;
  RequestMemory& memory = request.memory != nullptr ? *request.memory : once;
  KeptRequest& kept = kept_in(memory, all);
  auto body = kept.write(request, context);
  if (!body) {
    memory.kept.reset();
    return body.error();
  }
  WrittenRequest written{std::move(*body), {}};
  if (request.memory != nullptr && kept.pays())
    written.hash = kept.hash();
  else
    memory.kept.reset();
  return written;
}

}  // namespace ba::llm
