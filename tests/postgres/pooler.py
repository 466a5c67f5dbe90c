# SPDX-License-Identifier: Apache-2.0
"""PgBouncer before a server, as most people have it (transaction mode) and as the ledger needs it."""

import os
import shutil
import socket
import subprocess

from rig.stack import ROOT
from rig.waiting import wait_until

_SETTINGS = """[databases]
pooled = {server} pool_mode=transaction
pooled_by_session = {server} pool_mode=session
source = {source} pool_mode=transaction
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 200
default_pool_size = 20
"""


class Pooler:
    """A context; owned by whoever started it. Its files are in the server's folder."""

    def __init__(self, server):
        programs = subprocess.run([os.path.join(ROOT, "ops/setup"), "--where", "pgbouncer"], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout.strip()
        self._folder = shutil.copytree(programs, os.path.join(server.folder, "pgbouncer"), symlinks=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        login = server.url().partition("://")[2].partition("@")[0]
        where = (f"host=127.0.0.1 port={server.port} dbname=pooled user={login.partition(':')[0]}"
                 f" password={login.partition(':')[2]}")
        # The database and role of a data source, which a test makes.
        source = f"host=127.0.0.1 port={server.port} dbname=sourced user=source_user password=source_user"
        settings = os.path.join(self._folder, "pgbouncer.ini")
        with open(os.open(settings, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(_SETTINGS.format(server=where, source=source, port=self._port))
        account = server.account_options()
        if account:
            os.chown(settings, account["user"], account["group"])
        self._log = os.path.join(server.folder, "pgbouncer.log")
        with open(self._log, "ab") as output:
            self._process = subprocess.Popen(  # pylint: disable=consider-using-with
                [os.path.join(self._folder, "pgbouncer"), settings], stdout=output, stderr=output,
                env=os.environ | {"LD_LIBRARY_PATH": self._folder}, **account)

    def __enter__(self):
        wait_until(self._answers, 20, lambda: open(self._log, encoding="utf-8").read())
        return self

    def __exit__(self, *_exception):
        self._process.terminate()
        self._process.wait(20)

    def url(self):
        """Without the database: pooled, pooled_by_session, or source."""
        return f"postgresql://anybody:anything@127.0.0.1:{self._port}"

    def _answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self._port), timeout=1):
                return True
        except OSError:
            return self._process.poll() is not None and None
