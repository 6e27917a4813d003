#!/usr/bin/env python3
"""Serves OCI layouts as a registry does, on a free port of 127.0.0.1, which it prints.

    oci_registry.py FOLDER LOG      FOLDER/NAME is the layout of the repository NAME; LOG gets a line for each request
"""
import http.server
import json
import os
import sys

FOLDER, LOG = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, code, content=b"", kind="application/octet-stream", digest=None):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if digest:
            self.send_header("Docker-Content-Digest", digest)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def do_GET(self):
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(f"{self.command} {self.path}\n")
        parts = self.path.strip("/").split("/")
        if parts == ["v2"]:
            return self.answer(200, b"{}")
        layout = os.path.join(FOLDER, parts[1]) if len(parts) == 4 else ""
        if not os.path.isdir(layout):
            return self.answer(404)
        name, kind = parts[3], "application/octet-stream"
        if parts[2] == "manifests":
            kind = "application/vnd.oci.image.manifest.v1+json"
            with open(os.path.join(layout, "index.json"), encoding="utf-8") as file:
                tags = {one["annotations"]["org.opencontainers.image.ref.name"]: one["digest"] for one in json.load(file)["manifests"]}
            name = tags.get(name, name)
        try:
            with open(os.path.join(layout, "blobs/sha256", name.removeprefix("sha256:")), "rb") as file:
                return self.answer(200, file.read(), kind, name)
        except OSError:
            return self.answer(404)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
