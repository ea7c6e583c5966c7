"""What a reviewer would say of every file."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src").rglob("*.py"))
AVOIDED = {"manager", "handler", "util", "utils", "helper", "helpers", "info", "process", "event"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_module_is_one_concept(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 300
    assert ast.get_docstring(ast.parse(text)), "a module says what it is"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_names_avoid_the_words_that_say_nothing(path: Path) -> None:
    defined = [
        node.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    for name in [*defined, path.stem]:
        words = set(re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().split("_"))
        assert not words & AVOIDED, name
