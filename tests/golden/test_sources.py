"""Every golden number has the script that made it, and the script still makes it."""

import os
import shutil
from importlib import import_module
from pathlib import Path

import pytest

from .make.writing import written

FOLDER = Path(__file__).parent
FILES = sorted(path.stem for path in FOLDER.glob("*.json"))
# What a maker needs beyond PyPI; where the machine does not have it, the committed values stand as they are.
NEEDS = {"gdeval": bool(shutil.which("perl")), "trec_eval_text": "TREC_EVAL" in os.environ}
NEEDS["trec_eval_lines"] = NEEDS["trec_eval_text"] and "TREC_EVAL_10" in os.environ
NEEDS["baycomp"] = "BAYCOMP" in os.environ  # it would install a package named tests beside itself
NEEDS["crowd_kit"] = "CROWD_KIT" in os.environ  # it brings models of language with it, and works for a minute
NEEDS["r_stats"] = "R_STATS" in os.environ  # versions of R differ in the twelfth digit
NEEDS["r_factors"] = "R_STATS" in os.environ
NEEDS["r_pooled"] = "R_POOLED" in os.environ  # so do versions of metafor
NEEDS["ranx"] = "RANX" in os.environ  # it compiles itself for a minute, and is not among the requirements of the tests
NEEDS["fusion"] = NEEDS["ranx_habits"] = NEEDS["ranx"]
NEEDS["crowd_kit_models"] = "CROWD_KIT" in os.environ
NEEDS["obp"] = "OBP" in os.environ  # it asks for an older Python than ours
NEEDS["sample_eval"] = "SAMPLE_EVAL" in os.environ
NEEDS["assignments"] = "ASSIGNMENTS" in os.environ  # PlanOut is of 2016
NEEDS["pyclick"] = "PYCLICK" in os.environ  # what PyPI has under that name is something else
NEEDS["pyndeval"] = "PYNDEVAL" in os.environ
NEEDS["pyntcireval"] = "PYNTCIREVAL" in os.environ
NEEDS["pyterrier"] = "PYTERRIER" in os.environ
NEEDS["repro_eval"] = "REPRO_EVAL" in os.environ
NEEDS["expeval"] = "EXPEVAL" in os.environ
NEEDS["tied_overlap"] = "RBO" in os.environ
NEEDS["fairsearchcore"] = "FAIRSEARCHCORE" in os.environ
NEEDS["nuggetizer"] = "NUGGETIZER" in os.environ
NEEDS["quapy"] = "QUAPY" in os.environ
NEEDS["rank_fairness"] = "RANK_FAIRNESS" in os.environ
NEEDS["trectools"] = "TRECTOOLS" in os.environ
NEEDS["r_bradley_terry"] = "R_BRADLEY_TERRY" in os.environ  # as r_stats


def test_every_golden_file_has_its_maker_and_its_source() -> None:
    sources = (FOLDER / "SOURCES.md").read_text(encoding="utf-8")
    kept = [path for path in FOLDER.iterdir() if path.suffix not in (".py", ".md") and path.is_file()]
    assert sorted(path.stem for path in kept) == FILES
    for name in FILES:
        assert (FOLDER / "make" / f"{name}.py").exists(), name
        assert f"`{name}.json` | `make/{name}.py`" in sources


@pytest.mark.parametrize("name", [name for name in FILES if NEEDS.get(name, True)])
def test_making_them_again_gives_the_same_bytes(name: str) -> None:
    maker = import_module(f"tests.golden.make.{name}")
    assert written(maker.make()) == (FOLDER / f"{name}.json").read_text(encoding="utf-8")


INPUTS = (FOLDER.parent / "support" / "golden").glob("*_inputs.py")


@pytest.mark.parametrize("maker", sorted([*(FOLDER / "make").glob("*.py"), *INPUTS]), ids=lambda path: path.stem)
def test_no_maker_asks_us(maker: Path) -> None:
    assert "cranfield" not in maker.read_text(encoding="utf-8")
