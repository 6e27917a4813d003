"""A small npm registry: the packages below tests/harness/packages, packed by `npm pack` when first asked for; and pip's index beside it."""
import base64
import hashlib
import json
import os
import subprocess
import threading

from .python_index import PythonIndex


class RegistrySite:
    def __init__(self, sources, folder, base_url):
        self.sources, self.folder, self.base_url = sources, folder, base_url
        self.packed, self.lock = {}, threading.Lock()
        self.python = PythonIndex(sources)

    def manifest_of(self, name):
        path = os.path.join(self.sources, name, "package.json")
        if os.path.basename(name) != name or not os.path.isfile(path):
            return None
        with open(path) as file:
            return json.load(file)

    def tarball_of(self, name):
        with self.lock:
            if name not in self.packed:
                environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "npm_config_update_notifier": "false"}
                done = subprocess.run(["npm", "pack", "--silent", "--pack-destination", self.folder, os.path.join(self.sources, name)],
                                      env=environment, check=True, capture_output=True, text=True, cwd=self.folder)
                with open(os.path.join(self.folder, done.stdout.split()[-1]), "rb") as file:
                    self.packed[name] = file.read()
            return self.packed[name]

    def document_of(self, name):
        manifest = self.manifest_of(name)
        if manifest is None:
            return None
        tarball, version = self.tarball_of(name), manifest["version"]
        distribution = {
            "tarball": f"{self.base_url}/{name}/-/{name}-{version}.tgz",
            "shasum": hashlib.sha1(tarball).hexdigest(),
            "integrity": "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode(),
        }
        return {"name": name, "dist-tags": {"latest": version}, "versions": {version: {**manifest, "_id": f"{name}@{version}", "dist": distribution}}}

    def __call__(self, request, connection):
        parts = request.path.strip("/").split("/")
        if request.method not in ("GET", "HEAD"):
            connection.answer(201, b'{"ok":true}', [("Content-Type", "application/json")], reason="Created")  # a publish: recorded
        elif parts[0] in ("simple", "files") and (found := self.python.answer_to(parts)):
            connection.answer(200, found[0], [("Content-Type", found[1])])
        elif len(parts) == 3 and parts[1] == "-" and self.manifest_of(parts[0]):
            connection.answer(200, self.tarball_of(parts[0]), [("Content-Type", "application/octet-stream")])
        elif len(parts) == 1 and (document := self.document_of(parts[0])):
            connection.answer(200, json.dumps(document).encode(), [("Content-Type", "application/json")])
        else:
            connection.answer(404, b'{"error":"not found"}', [("Content-Type", "application/json")], reason="Not Found")
