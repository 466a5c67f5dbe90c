-- SPDX-License-Identifier: Apache-2.0
-- What the tool database_write needs in each database that it writes to: the table in which the idempotency
-- key of a call commits together with what the call wrote. Run it as the database's owner:
--
--   psql -v writer=ROLE -f effects_table.sql DATABASE
--
-- where ROLE is the login role of tools.database_write.data_sources[].url. Running it again changes nothing.
-- The role needs, beside this, INSERT, UPDATE or DELETE on the tables that it may write (and SELECT, for
-- WHERE and RETURNING), and nothing more: GRANT INSERT, UPDATE, SELECT ON orders TO ROLE.

CREATE TABLE IF NOT EXISTS public.ba_effects (
  key       text PRIMARY KEY,                    -- one tool call, on whatever worker and attempt
  tenant    text NOT NULL,
  statement text NOT NULL,                       -- as it was run
  answer    text,                                -- what the model got; null only while the call runs
  done_at   timestamptz NOT NULL DEFAULT now()
);

-- Workers remove rows that are older than keep_days, a batch at a time. By hand:
--   DELETE FROM public.ba_effects WHERE done_at < now() - interval '30 days';
CREATE INDEX IF NOT EXISTS ba_effects_done_at ON public.ba_effects (done_at);

REVOKE ALL ON public.ba_effects FROM PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON public.ba_effects TO :"writer";
