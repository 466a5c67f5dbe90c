-- SPDX-License-Identifier: Apache-2.0
-- An index for the tool vector_search: texts, each with the vector that the embeddings service makes of it.
-- Run it as the owner of a data source's database:
--
--   psql -v reader=ROLE -f vector_index.sql DATABASE
--
-- where ROLE is the login role of tools.data_sources[].url. Running it again changes nothing. In the
-- configuration it is an index with table: ba_passages, tenant_column: tenant, metadata_columns: [metadata].
-- Any other table with such columns will do: their names are configured.

CREATE TABLE IF NOT EXISTS public.ba_passages (
  tenant    text NOT NULL,               -- of the jobs that may read the row
  id        text NOT NULL,
  text      text NOT NULL,
  metadata  jsonb NOT NULL DEFAULT '{}',
  embedding real[],                      -- of the configured model and dimensions; null: isn't searched yet
  PRIMARY KEY (tenant, id)
);

-- The tool shows a job the rows of its own tenant only. Row security can say the same for whoever else logs
-- in as ROLE; what it hides, the tool does not see either.
REVOKE ALL ON public.ba_passages FROM PUBLIC;
GRANT SELECT ON public.ba_passages TO :"reader";

-- Rows are added by whoever embeds the texts, with the same model as tools.vector_search.model:
--   INSERT INTO public.ba_passages (tenant, id, text, embedding) VALUES ('acme', 'a-1', 'Text', '{0.1,0.2}')
--   ON CONFLICT (tenant, id) DO UPDATE SET text = excluded.text, embedding = excluded.embedding;
--
-- Without pgvector a search reads and compares every row of a tenant, at most rows_max of them. For more rows,
-- install pgvector in the database and make the column one of its type, here of 1536 dimensions:
--   ALTER TABLE public.ba_passages ALTER COLUMN embedding TYPE vector(1536) USING embedding::vector(1536);
-- It is exact still, and compared in the server. An index of pgvector makes it fast and approximate: with a
-- tenant_column it may then find fewer rows than there are.
