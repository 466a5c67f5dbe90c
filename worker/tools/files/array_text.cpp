// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/array_text.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/message/json_view.hpp"

namespace ba {

std::optional<ArrayText> ArrayText::of(std::string_view text) {
  const Result<JsonView> array = JsonView::parse(text);
  if (!array || !array->is(JsonKind::Array)) return std::nullopt;
  ArrayText items;
  bool readable = true;
  array->for_each_element([&](JsonView item) {
    readable = readable && item.raw().size() <= kEncodedBytesMax;
    items.items_.push_back(item.raw());
  });
  if (!readable) return std::nullopt;
  return items;
}

nlohmann::ordered_json ArrayText::at(std::int64_t index) const {
  Result<OrderedJson> item =
      read_json_document(items_.at(static_cast<std::size_t>(index)), JsonView::kDepthMax);
  if (item) return std::move(*item);
  throw std::runtime_error("item " + std::to_string(index) +
                           " of the JSON can't be read: " + item.error().message);
}

}  // namespace ba
