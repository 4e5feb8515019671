#!/usr/bin/env python3
"""Writes a tiny llama model with random weights as GGUF: it speaks nonsense, and every byte of it, through a real server.

Usage: llm_model.py OUT.gguf [SEED]. Needs the packages gguf and numpy. The vocabulary is the 256 bytes and the control
tokens, so that no tokenizer has to be fetched.
"""
import sys

import gguf
import numpy as np

LAYERS, WIDTH, HEADS, INNER, CONTEXT = 2, 64, 4, 128, 32768


def vocabulary():
    tokens = [b"<unk>", b"<s>", b"</s>"] + [f"<0x{byte:02X}>".encode() for byte in range(256)]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL] + [gguf.TokenType.BYTE] * 256
    # The loader wants pieces for blank and printable characters, too: single characters with falling scores.
    for code in range(0x20, 0x7F):
        tokens.append("\u2581".encode() if code == 0x20 else bytes([code]))
        kinds.append(gguf.TokenType.NORMAL)
    return tokens, kinds


def main() -> None:
    out, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    random = np.random.default_rng(seed)
    tokens, kinds = vocabulary()
    writer = gguf.GGUFWriter(out, "llama")
    writer.add_name("random weights")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(i) for i in range(len(tokens))])
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)

    def tensor(name, *shape):
        writer.add_tensor(name, (random.standard_normal(shape) * 0.3).astype(np.float32))

    def ones(name):
        writer.add_tensor(name, np.ones(WIDTH, dtype=np.float32))

    tensor("token_embd.weight", len(tokens), WIDTH)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        ones(f"{block}.attn_norm.weight")
        for part in ("q", "k", "v", "output"):
            tensor(f"{block}.attn_{part}.weight", WIDTH, WIDTH)
        ones(f"{block}.ffn_norm.weight")
        tensor(f"{block}.ffn_gate.weight", INNER, WIDTH)
        tensor(f"{block}.ffn_up.weight", INNER, WIDTH)
        tensor(f"{block}.ffn_down.weight", WIDTH, INNER)
    ones("output_norm.weight")
    tensor("output.weight", len(tokens), WIDTH)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
