-- SPDX-License-Identifier: Apache-2.0
-- What is old enough to be removed, oldest first.

CREATE INDEX jobs_ended ON jobs (tenant, finished_at) WHERE state = 'finished';
CREATE INDEX outbox_published ON outbox (published_at) WHERE published_at IS NOT NULL;
CREATE INDEX dead_letters_age ON dead_letters (created_at);
