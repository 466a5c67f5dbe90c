// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/nearest_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pipeline/core/tool/output_level.hpp"
#include "worker/tools/sql/connection/row_json.hpp"

namespace ba::vector {
namespace {

constexpr double kSteps = 1e6;

/// To six places, so that a score is the same whoever computed it.
std::optional<double> rounded(double score) {
  if (!std::isfinite(score)) return std::nullopt;
  const double steps = std::round(score * kSteps);
  if (!std::isfinite(steps)) return score;
  return steps / kSteps + 0.0;  // no -0
}

// Of a row: see vector_sql.hpp.
constexpr std::size_t kId = 0;
constexpr std::size_t kText = 1;
constexpr std::size_t kEmbedding = 2;
constexpr std::size_t kMetadata = 3;

template <typename Number>
Number number_in(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string number_json(double number) { return nlohmann::json(number).dump(); }

}  // namespace

bool read_stored_vector(std::string_view text, int dimensions, std::vector<double>& numbers) {
  numbers.clear();
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return false;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at < end) {
    double number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    const bool ended = next == end;
    // "NULL" is no number; "NaN" and "Infinity" are.
    if (error != std::errc() || !std::isfinite(number) || (!ended && *next != ',')) return false;
    numbers.push_back(number);
    if (ended) break;
    at = next + 1;
    if (at == end) return false;
  }
  return numbers.size() == static_cast<std::size_t>(dimensions);
}

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

void NearestRows::columns(const std::vector<Column>& columns) { names_ = columns; }

/// Ids that are numbers by value; equal ones (in a table without a key) by what they have.
bool NearestRows::nearer(const Found& a, const Found& b) const {
  if (a.score != b.score) return a.score > b.score;
  if (columns_.number_ids) {
    const auto left = number_in<long double>(a.id), right = number_in<long double>(b.id);
    if (left != right) return left < right;
  }
  if (a.id != b.id) return a.id < b.id;
  return a.json < b.json;
}

bool NearestRows::wanted(const Found& row) const {
  if (order_.min_score && row.score < *order_.min_score) return false;
  const bool full = nearest_.size() == static_cast<std::size_t>(order_.results_max);
  return !full || row.score >= nearest_.back().score;
}

/// False: the row is passed over, and counted.
bool NearestRows::read_score(const Row& row, double& score) {
  if (!row[kEmbedding]) {
    ++without_;
    return false;
  }
  const auto dimensions = static_cast<int>(order_.embedding.size());
  std::optional<double> found;
  if (columns_.pgvector)
    found = score_of_operator(order_.index.distance, number_in<double>(*row[kEmbedding]));
  else if (read_stored_vector(*row[kEmbedding], dimensions, stored_))
    found = score_of(order_.index.distance, order_.embedding, stored_);
  if (!found) ++unusable_;
  score = found.value_or(0);
  return found.has_value();
}

bool NearestRows::row(const Row& row) {
  std::int64_t beside = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto bytes = static_cast<std::int64_t>(row[i] ? row[i]->size() : 0);
    read_bytes_ += bytes;
    if (i != kEmbedding) beside += bytes;
  }
  too_many_bytes_ = !columns_.pgvector && read_bytes_ > order_.index.read_bytes_max;
  if (too_many_bytes_) return false;
  Found found;
  if (!read_score(row, found.score) || !wanted(found)) return true;
  row_too_large_ = beside > row_bytes_max_;
  if (row_too_large_) return false;
  found.id = row[kId].value_or("");
  found.json = json_of(row, found.score);
  const auto place = std::ranges::upper_bound(
      nearest_, found, [this](const Found& a, const Found& b) { return nearer(a, b); });
  nearest_.insert(place, std::move(found));
  if (nearest_.size() > static_cast<std::size_t>(order_.results_max)) nearest_.pop_back();
  return true;
}

std::string NearestRows::json_of(const Row& row, double score) const {
  const auto value = [&](std::size_t i) {
    return row[i] ? sql::pg_value_as_json(*row[i], names_[i].type) : "null";
  };
  const std::string text = cut_code_points(row[kText].value_or(""),
                                           static_cast<std::size_t>(order_.index.text_chars_max));
  std::string json = "{\"id\":" + value(kId) + ",\"score\":" + number_json(score) +
                     ",\"text\":" + sql::json_quoted(text);
  if (row.size() == kMetadata) return json + "}";
  json += ",\"metadata\":{";
  for (std::size_t i = kMetadata; i < row.size(); ++i)
    json += (i > kMetadata ? "," : "") + sql::json_quoted(names_[i].name) + ":" + value(i);
  return json + "}}";
}

std::string NearestRows::note(std::size_t left_out) const {
  std::string note;
  if (without_ + unusable_ > 0)
    note = "Not searched: " + std::to_string(without_) + " rows without an embedding, " +
           std::to_string(unusable_) + " rows whose embedding isn't " +
           std::to_string(order_.embedding.size()) + " finite numbers or has no such score.";
  if (left_out > 0)
    note += std::string(note.empty() ? "" : " ") + "The last " + std::to_string(left_out) +
            " results are left out: they are too long. Ask for fewer.";
  return note;
}

NearestRows::Answer NearestRows::answer(std::int64_t bytes_max) const {
  std::string results;
  std::size_t shown = 0;
  for (const Found& found : nearest_) {
    if (static_cast<std::int64_t>(results.size() + found.json.size()) > bytes_max) break;
    results += (shown++ > 0 ? "," : "") + found.json;
  }
  return {"[" + results + "]", note(nearest_.size() - shown)};
}

}  // namespace ba::vector
