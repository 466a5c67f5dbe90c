#pragma once
// SPDX-License-Identifier: Apache-2.0
// A request the server does not accept, and where in it the fault lies. Made only when something is
// wrong, so the good path allocates nothing.

#include <memory>
#include <string>
#include <string_view>

namespace ba::scripted {

/// What the client gets: a status and the provider's error object.
struct Rejection {
  int status = 400;
  std::string type = "invalid_request_error";
  std::string message;
  std::string param;  ///< OpenAI's name of the offending field; may be empty
  std::string code;   ///< OpenAI's; may be empty
};

/// Null when all is well.
using Refusal = std::unique_ptr<Rejection>;

/// A place in the request, linked from the inside out; lives on the stack of the checker.
class Place {
 public:
  explicit Place(std::string_view name) : name_(name) {}
  Place(const Place& parent, std::string_view name) : parent_(&parent), name_(name) {}
  Place(const Place& parent, std::size_t index) : parent_(&parent), index_(index) {}

  std::string dotted() const;     ///< messages.0.content.1 (Anthropic)
  std::string bracketed() const;  ///< messages[0].content[1] (OpenAI)

 private:
  const Place* parent_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;
};

/// 400 "<place>: <message>", as Anthropic words it.
Refusal refuse_dotted(const Place& place, std::string_view message);
/// 400 with the place as `param`, as OpenAI words it.
Refusal refuse_bracketed(const Place& place, std::string_view message);

Refusal refuse(int status, std::string type, std::string message);

}  // namespace ba::scripted
