-- SPDX-License-Identifier: Apache-2.0
-- What a tool said about its data (how many rows there are, what was left out) stands beside the data, with the call and with
-- the result that is kept for others.
ALTER TABLE tool_calls ADD COLUMN note text;                          -- null: nothing was said
ALTER TABLE tool_results ADD COLUMN note text NOT NULL DEFAULT '';    -- likewise, empty
