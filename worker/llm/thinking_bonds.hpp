#pragma once
// SPDX-License-Identifier: Apache-2.0
// Models may tie what they thought to all that stood before it, and refuse it behind anything else:
// a history that was made shorter, another prompt, other tools. This knows of each conversation
// what the provider was sent last, for whichever of its models, and so whose thoughts are loose:
// they are left out before a provider refuses them, and what it did refuse is left out from then
// on. What came after stays. It is the memory of one process: another one learns from a refusal.
// Owned by the provider; control thread only.

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/core/model/model_client.hpp"

namespace ba::llm {

/// Where the first reply of the turn stands that goes on with the results of the last one's calls,
/// counted from 1; 0: that has none.
std::size_t open_turn(const ModelRequest& request);

class ThinkingBonds {
 public:
  static constexpr std::size_t kConversationsMax = 1'000;  ///< the least used is forgotten

  struct Rules {
    bool bound = false;       ///< to what stands before; false: only what was refused is loose
    bool turn_stays = false;  ///< replies with calls need their thoughts until the turn is over
  };

  /// Where a request stands: what refused() takes later.
  struct Place {
    std::uint64_t conversation = 0;
    std::string model;
    std::string last_reply;  ///< id of its message; empty: there is none
  };
  static Place place_of(const ModelRequest& request);

  /// How many of the first messages' thoughts are not to be sent. Remembers what is sent. Of a
  /// request with a memory, only the messages that were added are looked at.
  std::size_t loose(const ModelRequest& request, Rules rules);

  /// The provider has refused the thoughts in this request.
  void refused(const Place& place);

 private:
  /// A reply, and where it was found last, counted from 1; 0: nowhere yet.
  struct Mark {
    std::string id;  ///< of its message; empty: none
    std::size_t at = 0;
  };

  struct Known {
    std::vector<std::size_t> sent;  ///< hashes: of prompt, tools and schema, then of each message
    std::shared_ptr<const int> lineage;   ///< of RequestMemory, of that request; null: it had none
    Mark changed;                         ///< the last reply when something before it had changed
    std::map<std::string, Mark> refused;  ///< by model: the last reply that had to go
    std::list<std::uint64_t>::iterator use;
  };

  static std::size_t up_to(const ModelRequest& request, Mark& mark);
  static void send(Known& here, const ModelRequest& request);
  Known& known(std::uint64_t conversation);

  std::map<std::uint64_t, Known> known_;
  std::list<std::uint64_t> uses_;  ///< the last used first
};

}  // namespace ba::llm
