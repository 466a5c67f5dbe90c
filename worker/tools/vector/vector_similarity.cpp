// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_similarity.hpp"

#include <algorithm>
#include <cmath>

namespace ba {
namespace {

constexpr double kSteps = 1e6;

/// To six places, so that a score is the same whoever computed it.
std::optional<double> rounded(double score) {
  if (!std::isfinite(score)) return std::nullopt;
  const double steps = std::round(score * kSteps);
  if (!std::isfinite(steps)) return score;
  return steps / kSteps + 0.0;  // no -0
}

}  // namespace

std::optional<double> score_of(VectorDistance distance, const std::vector<double>& query,
                               const std::vector<double>& stored) {
  double product = 0, query_square = 0, stored_square = 0, gap_square = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const double gap = query[i] - stored[i];
    product += query[i] * stored[i];
    query_square += query[i] * query[i];
    stored_square += stored[i] * stored[i];
    gap_square += gap * gap;
  }
  switch (distance) {
    case VectorDistance::Cosine:
      return rounded(
          std::clamp(product / std::sqrt(query_square) / std::sqrt(stored_square), -1.0, 1.0));
    case VectorDistance::L2:
      return rounded(1 / (1 + std::sqrt(gap_square)));
    case VectorDistance::InnerProduct:
      return rounded(product);
  }
  return std::nullopt;
}

std::optional<double> score_of_operator(VectorDistance distance, double value) {
  switch (distance) {
    case VectorDistance::Cosine:
      return rounded(1 - value);
    case VectorDistance::L2:
      return rounded(1 / (1 + value));
    case VectorDistance::InnerProduct:
      return rounded(-value);  // the operator gives the negative product
  }
  return std::nullopt;
}

}  // namespace ba
