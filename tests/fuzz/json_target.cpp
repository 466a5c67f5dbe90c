// SPDX-License-Identifier: Apache-2.0
// The readers of JSON agree: what one calls JSON, the others do, as far as their limits go.
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba::fuzz {
namespace {

/// Everything a view can be asked; the number of values.
std::size_t visit(JsonView view) {
  std::size_t count = 1;
  view.text();
  view.integer();
  view.for_each_member([&](std::string_view, JsonView value) { count += visit(value); });
  view.for_each_element([&](JsonView value) { count += visit(value); });
  return count;
}

}  // namespace

void json(std::string_view input) {
  const auto view = JsonView::parse(input);
  const bool shallow = json_shape(input).depth <= JsonView::kDepthMax;
  BA_ASSERT(view.has_value() == (shallow && is_json(input)));
  if (view) BA_ASSERT(visit(*view) <= input.size());
}

}  // namespace ba::fuzz
