# SPDX-License-Identifier: Apache-2.0
"""A plain HTTP server of this machine for what is only ever posted, as telemetry is. Needs nothing but Python, since
a secure stack runs it as it is."""

import http.server
import threading


def serve_posts(take):
    """The server, in a thread of its own until shutdown(). Each request is answered {} with the status that
    take(path, headers, body) returns; it is called by several threads."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # pylint: disable=invalid-name
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(take(self.path, self.headers, body))
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
