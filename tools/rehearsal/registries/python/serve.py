"""A Python package index on this machine. It has our package from uploads alone and redirects to `uplink` for all others.

It prints its port, and ends when stdin does, so that it never outlives the process that started it.
"""

import os
import re
import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pypiserver

storage, uplink, ours, token = sys.argv[1:5]

uploads = pypiserver.app(
    roots=[storage],
    authenticate=["update"],
    auther=lambda user, password: (user, password) == ("__token__", token),
    disable_fallback=True,
)


def index(environ, start_response):
    match = re.fullmatch(r"/simple/([^/]+)/?", environ["PATH_INFO"])
    if match and re.sub(r"[-_.]+", "-", match[1]).lower() != ours:
        start_response("302 Found", [("Location", f"{uplink.rstrip('/')}/{match[1]}/")])
        return []
    return uploads(environ, start_response)


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


server = make_server("127.0.0.1", 0, index, handler_class=Quiet)
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
os._exit(0)
