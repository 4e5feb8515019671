#!/usr/bin/env python3
"""The loop against a real server: llama.cpp (PyPI: llama-cpp-python) with a model of random weights and replies that a
grammar constrains. Nonsense is all that such a model can say; the loop must survive it and emit nothing unproven.

Usage: test_llm.py PROGRAM FOLDER. The packages are installed into FOLDER/venv on the first run, which compiles llama.cpp
(about half an hour of one core). Not a part of `make test`.
"""
import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

PACKAGES = ["llama-cpp-python[server]==0.3.36", "gguf==0.19.0"]
PORT = 18080
ROOT = Path(__file__).resolve().parent.parent


def ensure_packages(venv: Path) -> Path:
    python = venv / "bin" / "python"
    if not (venv / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        options = "-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF -DLLAMA_CURL=OFF"
        environment = dict(os.environ, CMAKE_ARGS=options, CC="clang-19", CXX="clang++-19")
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=True, env=environment)
        (venv / "installed").touch()
    return python


def wait_for_server(server: subprocess.Popen) -> None:
    for _ in range(120):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/v1/models", timeout=1).close()
            return
        except OSError:
            assert server.poll() is None, "the server did not start"
            time.sleep(0.5)
    raise AssertionError("the server does not answer")


def optimize(program: str, context: str, tokens: int) -> dict:
    command = [program, "optimize", str(ROOT / "examples/gemm/gemm.toml"), "--gpu", "mi300x", "--size", "M=4096",
               "--size", "N=4096", "--size", "K=512", "--proposer", "llm", "--model", "random", "--provider", "llamacpp",
               "--base-url", f"http://127.0.0.1:{PORT}/v1", "--context", context, "--max-rounds", "3", "--max-time", "120",
               "--reply-tokens", str(tokens), "--temperature", "1.0", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr}"
    return json.loads(done.stdout)


def check(result: dict) -> None:
    model = result["models"][0]
    print({key: model[key] for key in ("rounds", "answers", "truncated", "without_map", "maps", "valid", "tokens_in",
                                       "tokens_out", "seconds", "failure")}, result["verdict"])
    assert model["failure"] is None, model["failure"]
    assert model["answers"] > 0 and model["tokens_out"] > 0
    assert all(candidate["bijective"] for candidate in result["candidates"])
    assert (result["patch"] is None) == (result["verdict"] != "apply")


def main() -> None:
    program, folder = sys.argv[1], Path(sys.argv[2])
    python = ensure_packages(folder / "venv")
    weights = folder / "random.gguf"
    subprocess.run([str(python), str(ROOT / "scripts/llm_model.py"), str(weights)], check=True)
    with open(folder / "server.log", "w", encoding="utf-8") as log:
        server = subprocess.Popen([str(python), "-m", "llama_cpp.server", "--model", str(weights), "--host", "127.0.0.1",
                                   "--port", str(PORT), "--n_ctx", "32768", "--n_threads", "1"], stdout=log, stderr=log)
    try:
        wait_for_server(server)
        for context, tokens in (("history", 256), ("accesses,history", 2000)):
            check(optimize(program, context, tokens))
    finally:
        server.terminate()
        server.wait(timeout=30)
    print("ok")


main()
