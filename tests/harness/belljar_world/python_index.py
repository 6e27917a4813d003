"""A small index for pip (PEP 503): the packages below tests/harness/packages that have a module of their name, as wheels."""
import base64
import hashlib
import io
import os
import zipfile

VERSION = "1.0"


def wheel_of(name, module):
    """The bytes of a wheel with one module and a program of the package's name, which calls the module's ring()."""
    package = name.replace("-", "_")
    folder = f"{package}-{VERSION}.dist-info"
    files = {
        f"{package}.py": module,
        f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {VERSION}\n".encode(),
        f"{folder}/WHEEL": b"Wheel-Version: 1.0\nGenerator: belljar-world\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{folder}/entry_points.txt": f"[console_scripts]\n{name} = {package}:ring\n".encode(),
    }
    record = "".join(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
                     for path, content in files.items())
    files[f"{folder}/RECORD"] = f"{record}{folder}/RECORD,,\n".encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content)  # always the same bytes
    return out.getvalue()


class PythonIndex:
    def __init__(self, sources):
        self.sources = sources

    def wheel(self, name):
        path = os.path.join(self.sources, name, name.replace("-", "_") + ".py")
        if os.path.basename(name) != name or not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return wheel_of(name, file.read())

    def answer_to(self, parts):
        """What stands at simple/NAME or files/NAME/WHEEL, with its type; or nothing."""
        content = self.wheel(parts[1]) if len(parts) > 1 else None
        if content is None:
            return None
        file = f"{parts[1].replace('-', '_')}-{VERSION}-py3-none-any.whl"
        if parts == ["files", parts[1], file]:
            return content, "application/octet-stream"
        if parts == ["simple", parts[1]]:
            digest = hashlib.sha256(content).hexdigest()
            return f'<!DOCTYPE html><html><body><a href="/files/{parts[1]}/{file}#sha256={digest}">{file}</a></body></html>'.encode(), "text/html"
        return None
