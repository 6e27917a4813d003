#!/usr/bin/env python3
"""Writes an image of one layer into an OCI layout, tagged; what the layer holds is taken as it is said, hostile or not.

    oci_layout.py LAYOUT TAG FOLDER [ENTRY…]

FOLDER's files come first. An ENTRY is KIND NAME=VALUE…, as in "file name=usr/bin/x mode=4755 text=hello user.overlay.opaque=y": kinds are
file, directory, symlink, link, device, fifo. Prints the digest of the image.
"""
import hashlib
import io
import json
import os
import sys
import tarfile

KINDS = {"file": tarfile.REGTYPE, "directory": tarfile.DIRTYPE, "symlink": tarfile.SYMTYPE, "link": tarfile.LNKTYPE,
         "device": tarfile.CHRTYPE, "fifo": tarfile.FIFOTYPE}


def entry(text):
    kind, *settings = text.split(" ")
    values = dict(setting.split("=", 1) for setting in settings)
    one = tarfile.TarInfo(values.pop("name"))
    one.type, one.mode, one.mtime = KINDS[kind], int(values.pop("mode", "755"), 8), 1_000_000_000
    one.linkname, content = values.pop("to", ""), values.pop("text", "").encode()
    one.devmajor, one.devminor = 1, 3
    if kind == "file":
        one.size = len(content)
    one.pax_headers = {f"SCHILY.xattr.{name}": value for name, value in values.items()}
    return one, io.BytesIO(content)


def keep(layout, content):
    digest = hashlib.sha256(content).hexdigest()
    os.makedirs(os.path.join(layout, "blobs/sha256"), exist_ok=True)
    with open(os.path.join(layout, "blobs/sha256", digest), "wb") as file:
        file.write(content)
    return {"digest": "sha256:" + digest, "size": len(content)}


def main(layout, tag, folder, *entries):
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        if folder:
            def plain(info):
                info.uid = info.gid = 0
                info.mtime = 1_000_000_000
                return info
            tar.add(folder, arcname=".", filter=plain)
        for text in entries:
            tar.addfile(*entry(text))
    content = layer.getvalue()
    one = keep(layout, content)
    config = {"architecture": "amd64", "os": "linux", "config": {},
              "rootfs": {"type": "layers", "diff_ids": [one["digest"]]}, "history": [{"created_by": "a test"}]}
    kind = "application/vnd.oci.image."
    manifest = keep(layout, json.dumps({
        "schemaVersion": 2, "mediaType": kind + "manifest.v1+json",
        "config": {"mediaType": kind + "config.v1+json", **keep(layout, json.dumps(config).encode())},
        "layers": [{"mediaType": kind + "layer.v1.tar", **one}]}).encode())
    index = {"schemaVersion": 2, "manifests": [{"mediaType": kind + "manifest.v1+json", **manifest,
                                                "annotations": {"org.opencontainers.image.ref.name": tag}}]}
    with open(os.path.join(layout, "index.json"), "w", encoding="utf-8") as file:
        json.dump(index, file)
    with open(os.path.join(layout, "oci-layout"), "w", encoding="utf-8") as file:
        file.write('{"imageLayoutVersion": "1.0.0"}')
    print(manifest["digest"])


main(*sys.argv[1:])
