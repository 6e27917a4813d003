"""A git server over smart HTTP: git's own http-backend behind the HTTP receiver, with one sample repository, /sample.git."""
import os
import subprocess

BACKEND_TIMEOUT = 120  # seconds


def git(folder, *arguments, **options):
    environment = {
        "PATH": os.environ["PATH"], "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ann Author", "GIT_AUTHOR_EMAIL": "ann@example.com", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
        "GIT_COMMITTER_NAME": "Ann Author", "GIT_COMMITTER_EMAIL": "ann@example.com", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    }
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)


def make_sample_repository(folder):
    """FOLDER/sample.git: bare, branch main, two commits; accepts pushes over HTTP."""
    work = os.path.join(folder, "work")
    os.makedirs(work)
    git(work, "init", "-q", "-b", "main")
    for number, (name, text) in enumerate([("README", "A sample.\n"), ("hello.sh", "#!/bin/sh\necho hello\n")]):
        with open(os.path.join(work, name), "w") as file:
            file.write(text)
        git(work, "add", name)
        git(work, "commit", "-q", "-m", f"Commit {number + 1}: {name}")
    git(folder, "clone", "-q", "--bare", "work", "sample.git")
    git(os.path.join(folder, "sample.git"), "config", "http.receivepack", "true")


class GitSite:
    def __init__(self, folder):
        self.folder = folder
        exec_path = subprocess.run(["git", "--exec-path"], check=True, capture_output=True, text=True).stdout.strip()
        self.backend = os.path.join(exec_path, "git-http-backend")

    def __call__(self, request, connection):
        target, _, query = request.target.partition("?")
        environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PROJECT_ROOT": self.folder, "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": request.method, "PATH_INFO": target, "QUERY_STRING": query,
            "CONTENT_TYPE": request.header("content-type"), "CONTENT_LENGTH": str(len(request.body)),
            "HTTP_CONTENT_ENCODING": request.header("content-encoding"), "GIT_PROTOCOL": request.header("git-protocol"),
            "REMOTE_USER": "tester", "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run([self.backend], input=request.body, env=environment, capture_output=True, timeout=BACKEND_TIMEOUT)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = [tuple(line.split(": ", 1)) for line in head.decode("latin-1").split("\r\n") if ": " in line]
        status = next((value for name, value in headers if name.lower() == "status"), "200 OK")
        code, _, reason = status.partition(" ")
        connection.answer(int(code), body, [entry for entry in headers if entry[0].lower() != "status"], reason=reason)
