from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

TEXT = "The tide leaves the flat twice a day, and what settles between is the paper's matter"


@pytest.fixture
def written(tmp_path):
    """Write records, or raw bytes, as one JSONL file."""

    def write(*lines, name="own.jsonl"):
        raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        path = tmp_path / name
        path.write_bytes(b"\n".join(raw) + b"\n")
        return path

    return write


@pytest.fixture
def record():
    """Make a record of the suite's own schema."""

    def make(paper_id="p1", units=6, source="arxiv", **other):
        blocks = [{"kind": "heading", "level": 1, "text": "Results"}]
        blocks += [{"kind": "paragraph", "text": f"{paper_id}, unit {n}"} for n in range(units)]
        return {"paper_id": paper_id, "title": "T", "source": source, "blocks": blocks, **other}

    return make


@pytest.fixture
def paragraphs():
    """Make texts that are long enough to be kept, told apart by their number."""
    return lambda count: [f"{TEXT}, part {'i' * (n + 1)}. {TEXT}." for n in range(count)]


@pytest.fixture(scope="session")
def real_corpora():
    folder = os.environ.get("GYM_DESKS_TEST_CORPORA")
    if not folder:
        pytest.skip("GYM_DESKS_TEST_CORPORA names no folder of real papers")
    return Path(folder)
