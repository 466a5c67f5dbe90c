#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whole conversations in the forms that other programs keep them in, both ways: LangChain's dicts,
// Anthropic Messages, OpenAI chat completions, OpenAI Responses items; and one form to look at.
// What is invalid is refused and the error names the field; what a form has no place for is a loss
// that the caller is told. No id of a call is ever made up. README.md has the table of what is kept
// where. Pure functions, any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {

/// What a conversion left behind, counted by kind, so that a long conversation's list stays short.
class Losses {
 public:
  struct Kind {
    std::string what;   ///< "the signature of thinking"
    std::string field;  ///< where first: "messages[3]"
    std::size_t count = 0;

    friend bool operator==(const Kind&, const Kind&) = default;
  };

  static constexpr std::size_t kKindsMax = 50;  ///< those after it are one, "more"

  void add(std::string_view what, const std::string& field);
  void add(const Losses& others);

  bool empty() const { return kinds_.empty(); }
  const std::vector<Kind>& kinds() const { return kinds_; }

 private:
  std::vector<Kind> kinds_;
};

enum class CarrierFormat { Langchain, Anthropic, Openai, Responses, Debug };
inline constexpr EnumNames<CarrierFormat, 5> kCarrierFormatNames{
    {{CarrierFormat::Langchain, "langchain"},
     {CarrierFormat::Anthropic, "anthropic"},
     {CarrierFormat::Openai, "openai"},
     {CarrierFormat::Responses, "responses"},
     {CarrierFormat::Debug, "debug"}}};  // is only written

inline constexpr std::size_t kCarriedMessagesMax = 100'000;  ///< of one conversation
inline constexpr std::size_t kConversationBytesMax = std::size_t{256} << 20;  ///< as JSON

/// Among additional_kwargs: the id that a message had elsewhere. Like ids and times, no loss.
inline constexpr std::string_view kImportedIdKwarg = "imported_id";

struct CarrierReading {
  std::vector<Message> messages;  ///< a valid history, but for ids that messages don't have
  Losses losses;
};

/// `document` is the array of messages, or an object that holds them as `messages` (Responses:
/// also `input`) and beside it `system` (Anthropic) or `instructions` (Responses). An error's
/// detail is the field: "messages[3].content[0].id". What a provider's messages held beyond the
/// neutral model is marked as that protocol's ("anthropic"), or, with a name, as that provider's
/// ("anthropic/main"), to which it then goes back.
Result<CarrierReading> read_carrier(CarrierFormat format, JsonView document,
                                    std::string_view provider = "");

struct CarrierText {
  std::string system;    ///< JSON; of Anthropic, where there is any
  std::string messages;  ///< a JSON array
  Losses losses;
};

/// The messages must be a valid history, but for ids that messages don't have. Fails, with the
/// field as detail, where one contradicts what it keeps of a provider's form.
Result<CarrierText> write_carrier(CarrierFormat format, const std::vector<Message>& messages);

/// As one document: of Anthropic {"system", "messages"}, else the array.
std::string carrier_document(CarrierFormat format, const CarrierText& text);

}  // namespace ba
