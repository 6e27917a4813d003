"""What a receiver got: LOGS/NAME.jsonl has one JSON object an event, LOGS/NAME.bytes every byte as it came."""
import json
import os
import threading
import time


class Recorder:
    def __init__(self, folder, name):
        self.name = name
        self.lock = threading.Lock()
        self.events = open(os.path.join(folder, name + ".jsonl"), "a", buffering=1)
        self.bytes = open(os.path.join(folder, name + ".bytes"), "ab", buffering=0)

    def event(self, kind, **fields):
        line = json.dumps({"time": round(time.time(), 3), "event": kind, **fields}) + "\n"
        with self.lock:
            self.events.write(line)

    def received(self, data):
        with self.lock:
            self.bytes.write(data)


def readable(data, limit=65536):
    """Bytes as text without loss (latin-1), cut at the limit."""
    return data[:limit].decode("latin-1")
