// SPDX-License-Identifier: Apache-2.0
#include "worker/config/outbox_section.hpp"

#include "worker/settings/section_reader.hpp"

namespace ba {

void read_outbox(settings::SectionReader& in, OutboxConfig& outbox) {
  in.read("shards", outbox.shards, {1, 64});
  in.read("linger_ms", outbox.linger, {0, 10'000});
  in.read("batch_records_max", outbox.batch_records_max, {1, 100'000});
  in.read("own_interval_ms", outbox.own_interval, {50, 60'000});
}

}  // namespace ba
