# SPDX-License-Identifier: Apache-2.0
"""Real servers with certificates good and bad, for tests of what is told of TLS: PostgreSQL, HTTPS, and a proxy that
wants a login. `tls_servers.py FOLDER` makes the certificates there, tells "NAME PORT" of each, then "ready", and ends
all when its standard input does."""

import base64
import http.server
import os
import pwd
import select
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading

LOGIN = "worker:p@ss/w:rd"  # of the proxy


class Certificates:
    """Made by openssl in a folder: two authorities, servers' and clients'."""

    def __init__(self, folder):
        self._folder = folder
        for authority in ("ca", "other-ca"):
            self._openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={authority}",
                          "-keyout", f"{authority}.key", "-out", f"{authority}.crt")
        self._sign("good", "localhost", "ca", 2)
        self._sign("expired", "localhost", "ca", -1)
        self._sign("elsewhere", "elsewhere.example", "ca", 2)
        self._sign("client", "reader", "ca", 2)
        self._sign("stranger", "reader", "other-ca", 2)

    def path(self, name):
        return os.path.join(self._folder, name)

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self._folder, check=True, stderr=subprocess.DEVNULL)

    def _sign(self, name, host, authority, days):
        self._openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={host}", "-keyout",
                      f"{name}.key", "-out", f"{name}.csr")
        with open(self.path(f"{name}.ext"), "w", encoding="utf-8") as file:
            file.write(f"subjectAltName=DNS:{host}\n")
        self._openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key",
                      "-CAcreateserial", "-days", str(days), "-extfile", f"{name}.ext", "-out", f"{name}.crt")
        os.chmod(self.path(f"{name}.key"), 0o600)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Postgres:
    """Servers over copies of one data directory. PostgreSQL never runs as root."""

    def __init__(self, folder, certificates):
        self._folder = folder
        self._certificates = certificates
        self._account = pwd.getpwnam("postgres") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        self._programs = subprocess.run(["pg_config", "--bindir"], check=True, capture_output=True,
                                        text=True).stdout.strip()
        self._processes = []
        self._run("initdb", "-D", self._owned("seed"), "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C",
                  "--no-sync")
        subprocess.run([f"{self._programs}/postgres", "--single", "-D", os.path.join(folder, "seed"), "postgres"],
                       input=b"CREATE ROLE reader LOGIN; CREATE ROLE signed LOGIN;\n", check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self._as_account())

    def start(self, name, certificate=None):
        """The port of a server with this certificate; without one it has no TLS."""
        data = os.path.join(self._folder, name)
        subprocess.run(["cp", "-a", os.path.join(self._folder, "seed"), data], check=True)
        options = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"]
        if certificate:
            for source, target in ((f"{certificate}.crt", "server.crt"), (f"{certificate}.key", "server.key"),
                                   ("ca.crt", "clients.crt")):
                shutil.copy(self._certificates.path(source), os.path.join(data, target))
                os.chown(os.path.join(data, target), self._account.pw_uid, self._account.pw_gid)
            os.chmod(os.path.join(data, "server.key"), 0o600)
            options += ["-c", "ssl=on", "-c", "ssl_ca_file=clients.crt"]
        with open(os.path.join(data, "pg_hba.conf"), "w", encoding="utf-8") as file:
            file.write("hostssl all signed all trust clientcert=verify-ca\nhost all reader all trust\n")
        port = free_port()
        with open(os.path.join(self._folder, f"{name}.log"), "wb") as log:
            self._processes.append(subprocess.Popen(  # pylint: disable=consider-using-with
                [f"{self._programs}/postgres", "-D", data, "-p", str(port), *options], stdout=log, stderr=log,
                **self._as_account()))
        for _try in range(100):
            if subprocess.run([f"{self._programs}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)],
                              check=False).returncode == 0:
                return port
            select.select([], [], [], 0.1)
        raise AssertionError(f"PostgreSQL {name} doesn't answer, see {self._folder}/{name}.log")

    def stop(self):
        for process in self._processes:
            process.send_signal(signal.SIGINT)
        for process in self._processes:
            process.wait(30)

    def _owned(self, name):
        path = os.path.join(self._folder, name)
        os.mkdir(path, 0o700)
        os.chown(path, self._account.pw_uid, self._account.pw_gid)
        return path

    def _as_account(self):
        return {"user": self._account.pw_uid, "group": self._account.pw_gid} if os.getuid() == 0 else {}

    def _run(self, program, *arguments):
        subprocess.run([f"{self._programs}/{program}", *arguments], check=True, stdout=subprocess.DEVNULL,
                       **self._as_account())


class Empty(http.server.BaseHTTPRequestHandler):
    """Answers everything with {}."""

    protocol_version = "HTTP/1.1"

    def _answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = _answer

    def log_message(self, *_arguments):  # pylint: disable=arguments-differ
        pass


class Proxy(Empty):
    """Lets through who knows the login: whole requests, which it answers itself, and tunnels."""

    def parse_request(self):
        if not super().parse_request():
            return False
        login = "Basic " + base64.b64encode(LOGIN.encode()).decode()
        if self.headers.get("Proxy-Authorization") == login:
            return True
        self.send_response(407)
        self.send_header("Proxy-Authenticate", 'Basic realm="proxy"')
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.close_connection = True
        return False

    def do_CONNECT(self):
        host, port = self.path.rsplit(":", 1)
        with socket.create_connection((host, int(port))) as server:
            self.send_response(200)
            self.end_headers()
            self.wfile.flush()
            pairs = {self.connection: server, server: self.connection}
            while True:
                for source in select.select(list(pairs), [], [])[0]:
                    data = source.recv(65536)
                    if not data:
                        self.close_connection = True
                        return
                    pairs[source].sendall(data)


class Server(http.server.ThreadingHTTPServer):
    """Reads what still comes before it closes, as web servers do: what a client was told last could be lost else."""

    def shutdown_request(self, request):
        try:
            request.shutdown(socket.SHUT_WR)
            request.settimeout(2)
            while request.recv(65536):
                pass
        except OSError:
            pass
        self.close_request(request)

    def handle_error(self, *_arguments):
        pass  # a handshake that fails is what is tested


def serve_http(handler, certificates=None, certificate=None, clients=False):
    server = Server(("127.0.0.1", 0), handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates.path(f"{certificate}.crt"), certificates.path(f"{certificate}.key"))
        if clients:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(certificates.path("ca.crt"))
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def main():
    folder = sys.argv[1]
    os.chmod(folder, 0o755)
    certificates = Certificates(folder)
    tell = lambda name, port: print(name, port, flush=True)  # noqa: E731
    tell("http", serve_http(Empty))
    tell("proxy", serve_http(Proxy))
    for name in ("good", "expired", "elsewhere"):
        tell(f"https-{name}", serve_http(Empty, certificates, name))
    tell("https-clients", serve_http(Empty, certificates, "good", clients=True))
    postgres = Postgres(folder, certificates)
    try:
        for name in ("good", "expired", "elsewhere"):
            tell(f"postgres-{name}", postgres.start(f"pg-{name}", name))
        tell("postgres-plain", postgres.start("pg-plain"))
        print("ready", flush=True)
        sys.stdin.read()
    finally:
        postgres.stop()


if __name__ == "__main__":
    main()
