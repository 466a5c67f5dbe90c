#pragma once
// SPDX-License-Identifier: Apache-2.0
// Requests and their answers over a transport: ids, time limits, progress, cancellation, and the
// envelope that the server's era wants. Knows no method but those of the envelope. Owned by a
// Session; control thread only.

#include <map>
#include <memory>
#include <variant>

#include "pipeline/core/port/executor.hpp"
#include "worker/mcp/mcp_transport.hpp"
#include "worker/mcp/rpc_message.hpp"

namespace ba::mcp {

using Reply = std::variant<Json, RpcError, Lost>;

struct RpcRequest {
  std::string method;
  Json params = Json::object();
  HeaderList headers = {};        ///< beside the era's own
  Milliseconds idle_timeout{0};   ///< without answer or progress; 0: none
  Milliseconds total_timeout{0};  ///< whatever the progress; 0: none
  bool progress = false;          ///< ask the server to report it
  bool opens_session = false;
};

struct RpcCounts {
  std::int64_t unexpected_answers = 0;  ///< to ids nobody waits for
  std::int64_t garbage = 0;
  std::int64_t declined_requests = 0;
};

/// Who the client is to servers.
struct ClientIdentity {
  std::string version = "0";
  Elicitation elicitation = Elicitation::Decline;
};

class RpcClient final : public TransportListener {
 public:
  struct Events {
    std::function<void(const RpcMessage&)> on_notification;
    std::function<void(Error)> on_closed;
  };

  /// References outlive the client.
  RpcClient(Transport& transport, Executor& executor, ClientIdentity identity, Events events);
  ~RpcClient() override;

  /// From now on messages are of this era. An empty revision is not told by legacy headers.
  void speak(Era era, std::string revision);
  Era era() const { return era_; }

  /// Answers once through `done`, never from inside this call, unless it is cancelled.
  std::int64_t request(RpcRequest request, std::function<void(Reply)> done);
  void cancel(std::int64_t id, std::string_view reason);
  void notify(std::string_view method, Json params);
  void listen();
  /// As if the transport had closed: whatever is under way may have been done.
  void close(Error error) { on_closed(std::move(error)); }

  const RpcCounts& counts() const { return counts_; }
  const ClientIdentity& identity() const { return identity_; }
  bool over_http() const { return transport_.is_http(); }
  bool closed() const { return closed_; }  ///< a request would get no answer

 private:
  struct Pending {
    std::function<void(Reply)> done;
    Milliseconds idle_timeout{0};
    double progress = -1;
    std::unique_ptr<Timer> idle;
    std::unique_ptr<Timer> total;
  };

  void on_message(std::int64_t stream, RpcMessage message) override;
  void on_lost(std::int64_t id, Lost lost) override;
  void on_closed(Error error) override;

  void take_answer(std::int64_t stream, RpcMessage message);
  void take_progress(const RpcMessage& message);
  void take_request(const RpcMessage& message);
  void arm_idle(std::int64_t id, Pending& pending);
  void overdue(std::int64_t id, Milliseconds limit);
  void finish(std::int64_t id, Reply reply);
  void add_envelope(RpcRequest& request, std::int64_t id) const;
  HeaderList headers_for(const std::string& method, const Json& params) const;

  Transport& transport_;
  Executor& executor_;
  const ClientIdentity identity_;
  const Events events_;
  Era era_ = Era::Modern;
  std::string revision_{kModernRevision};
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, Pending> pending_;
  RpcCounts counts_;
  bool closed_ = false;
};

}  // namespace ba::mcp
