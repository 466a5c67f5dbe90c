# SPDX-License-Identifier: Apache-2.0
"""vector_search before the real pgvector: its server finds what the worker's own comparison finds, and an
index of its kind is used."""

import http.server
import json
import random
import threading

from case import Case
from rig.pgvector_server import PgvectorServer

ROWS, DIMENSIONS = 600, 8
READER = ("ba_reader", "vectors-are-read")


class Embeddings(http.server.BaseHTTPRequestHandler):
    """The embedding of a text is the numbers it consists of."""

    def do_POST(self):  # pylint: disable=invalid-name
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps({"data": [{"index": 0, "embedding": [float(word) for word in asked["input"].split()]}]})
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


def vector(numbers):
    return "[" + ",".join(map(str, numbers)) + "]"


def fill(server, numbers):
    """Rows of small whole numbers, whose products are exact in every arithmetic; some are alike, a few
    can't be compared."""
    rows = [[numbers.randint(-4, 4) for _ in range(DIMENSIONS)] for _ in range(ROWS)]
    rows[7] = rows[8] = rows[9]
    values = ",".join(f"('{'acme' if i % 3 else 'globex'}', 'r{i}', 'text {i}', '{vector(row)}', "
                      f"'{vector(row)}'::vector::real[])" for i, row in enumerate(rows))
    server.run("CREATE EXTENSION vector; "
               f"CREATE ROLE {READER[0]} LOGIN PASSWORD '{READER[1]}'; "
               f"CREATE TABLE passages (tenant text, id text, text text, embedding vector({DIMENSIONS}), "
               "as_array real[], PRIMARY KEY (tenant, id)); "
               f"INSERT INTO passages VALUES {values}; "
               "INSERT INTO passages VALUES ('acme', 'unsearched', 't', NULL, NULL); "
               f"GRANT SELECT ON passages TO {READER[0]}")
    return rows


def index(name, column, distance, **changes):
    return {"name": name, "data_source": "kb", "table": "passages", "embedding_column": column,
            "distance": distance, "tenant_column": "tenant", "metadata_columns": ["tenant", "text"]} | changes


DISTANCES = ("cosine", "l2", "inner_product")
INDEXES = [index(f"{by}_{distance}", column, distance)
           for distance in DISTANCES for by, column in (("server", "embedding"), ("worker", "as_array"))]
INDEXES.append({k: v for k, v in index("shared", "embedding", "l2", shared_by_tenants=True).items()
                if k != "tenant_column"})


class Searcher:
    def __init__(self, deployment):
        self._deployment = deployment

    def find(self, name, query, tenant="acme", **parameters):
        arguments = {"query": " ".join(map(str, query)), "index": name, "output_level": "full"} | parameters
        told = json.loads(self._deployment.run("tool", "run", "vector_search", json.dumps(arguments), "--tenant",
                                               tenant, "--json"))
        return json.JSONDecoder().raw_decode(told["observation"])[0]  # a note may stand below


def both_find_the_same(lab):
    numbers = random.Random(20261123)
    endpoint = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    with PgvectorServer(f"{lab.folder}/pgvector.log") as server:
        rows = fill(server, numbers)
        settings = {"tools": {"encoding": "json",
            "data_sources": [{"name": "kb", "url": server.url(*READER)}],
            "vector_search": {"base_url": f"http://127.0.0.1:{endpoint.server_address[1]}", "model": "numbers",
                              "dimensions": DIMENSIONS, "indexes": INDEXES}}}
        with lab.deployment(settings) as deployment:
            searcher = Searcher(deployment)
            for distance in DISTANCES:
                for query in (rows[8], rows[9], [numbers.randint(-4, 4) for _ in range(DIMENSIONS)]):
                    by_server = searcher.find(f"server_{distance}", query, limit=40)
                    assert len(by_server) == 40, by_server
                    by_worker = searcher.find(f"worker_{distance}", query, limit=40)
                    assert by_server == by_worker, (distance, by_server, by_worker)
            nearest = searcher.find("server_l2", rows[8], limit=3)
            assert [row["id"] for row in nearest][:2] == ["r7", "r8"], nearest  # r9 is another tenant's
            assert nearest[0]["score"] == 1.0, nearest
            an_index_is_used(server, searcher, rows)
            server.run("ALTER TABLE passages RENAME TO elsewhere")
            doctor = json.loads(deployment.run("doctor", "--json", code=1))
            found = {check["status"] for check in doctor["checks"] if check["name"].startswith("vector index ")}
            assert found == {"FAIL"}, doctor
    endpoint.shutdown()


def an_index_is_used(server, searcher, rows):
    """The statement's order lets pgvector's index serve it."""
    server.run("CREATE INDEX ON passages USING hnsw (embedding vector_l2_ops)")
    server.run(f"ALTER ROLE {READER[0]} SET enable_seqscan = off")
    found = searcher.find("shared", rows[100], tenant="globex", limit=1)
    assert found[0]["id"] == "r100" and found[0]["score"] == 1.0, found
    server.run("SELECT pg_stat_force_next_flush()")
    scans = server.run("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname LIKE '%embedding%'")
    assert int(scans) >= 1, scans


CASES = [Case("pgvector finds what the worker's own search finds", both_find_the_same)]
