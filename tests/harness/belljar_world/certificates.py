"""The world's own certificate authority and the good and bad certificates of its servers, made with openssl."""
import os
import subprocess

from . import addresses


def openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments[0]} failed: {done.stderr.strip()}")


def new_key_options(key):
    return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key]


class Authority:
    """Files in `folder`: ca.crt, ca.key, and NAME.crt (with the chain), NAME.key for each certificate made."""

    def __init__(self, folder):
        self.folder = folder
        openssl("req", "-x509", *new_key_options(self.path("ca.key")), "-out", self.path("ca.crt"), "-days", "30",
                "-subj", "/CN=belljar tests authority", "-addext", "basicConstraints=critical,CA:TRUE",
                "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def path(self, name):
        return os.path.join(self.folder, name)

    def issue(self, name, dns_names, ip_addresses=(), days=7):
        request, extensions = self.path(name + ".csr"), self.path(name + ".ext")
        alternatives = [f"DNS:{entry}" for entry in dns_names] + [f"IP:{entry}" for entry in ip_addresses]
        with open(extensions, "w") as file:
            file.write(f"basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName={','.join(alternatives)}\n")
        openssl("req", *new_key_options(self.path(name + ".key")), "-subj", f"/CN={dns_names[0]}", "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.path("ca.crt"), "-CAkey", self.path("ca.key"), "-CAcreateserial",
                "-days", str(days), "-extfile", extensions, "-out", self.path(name + ".crt"))
        with open(self.path(name + ".crt"), "a") as chain, open(self.path("ca.crt")) as authority:
            chain.write(authority.read())

    def self_sign(self, name, dns_name):
        openssl("req", "-x509", *new_key_options(self.path(name + ".key")), "-out", self.path(name + ".crt"), "-days", "7",
                "-subj", f"/CN={dns_name}", "-addext", f"subjectAltName=DNS:{dns_name}")

    def issue_all(self):
        self.issue("good", addresses.CERTIFIED_NAMES, [addresses.ALLOWED, addresses.ALLOWED_V6, addresses.NEIGHBOUR])
        self.issue("expired", ["expired.test"], days=-1)
        self.issue("wrongname", ["some-other-name.test"])
        self.self_sign("selfsigned", "selfsigned.test")


def bundle_with(authority, system_bundle, target):
    """The host's own bundle and the test authority, as one file to be shown in place of the host's."""
    with open(target, "wb") as out:
        for source in (system_bundle, authority.path("ca.crt")):
            with open(source, "rb") as file:
                out.write(file.read() + b"\n")
    os.chmod(target, 0o644)
