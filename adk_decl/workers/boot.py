"""What a zygote is told first, and the few lines that start it.

The interpreter starts isolated (`-I`, empty environment), so it can't find anything before it has been given the
host's `sys.path`. It comes first in the stream, alone, so that the bootstrap needs nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import struct
import sys

from adk_decl.wire import Struct
from adk_decl.workers.spec import DomainSpec

LENGTH = struct.Struct("<Q")

BOOTSTRAP = """
import json, socket, struct, sys
control = socket.socket(fileno=int(sys.argv[1]))
def read(count):
    data = bytearray()
    while len(data) < count:
        part = control.recv(min(count - len(data), 1 << 20))
        if not part:
            sys.exit(0)
        data += part
    return bytes(data)
sys.path[:] = json.loads(read(struct.unpack("<Q", read(8))[0]))
from adk_decl.workers.zygote import main
main(control, read)
"""


class ZygoteSpec(Struct, frozen=True, kw_only=True):
    """What one zygote serves. `preload` is off after a preloaded module started a thread. `debug` prints tracebacks."""

    domain: DomainSpec
    preload: bool
    debug: bool


def search_path(import_paths: tuple[str, ...]) -> bytes:
    """The host's `sys.path` behind the paths of a domain, absolute, with its length in front."""
    paths = [*import_paths, *(os.path.abspath(entry or os.curdir) for entry in sys.path)]
    data = json.dumps(list(dict.fromkeys(paths))).encode()
    return LENGTH.pack(len(data)) + data
