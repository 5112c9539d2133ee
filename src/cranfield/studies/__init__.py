"""Each study answers one question a user has; the command of the same name and the server call the same function."""

from typing import TYPE_CHECKING

from cranfield._lazy_imports import Later

from ._evaluate import evaluate as evaluate
from ._question import Question as Question

if TYPE_CHECKING:
    from ._ab import ab as ab
    from ._ab import assign_users as assign_users
    from ._across import across as across
    from ._agreement import agreement as agreement
    from ._anova import anova as anova
    from ._answers import answers as answers
    from ._bridge import bridge as bridge
    from ._clicks import clicks as clicks
    from ._compare import compare as compare
    from ._convert import convert as convert
    from ._counterfactual import counterfactual as counterfactual
    from ._crowd import crowd as crowd
    from ._duplicates import duplicates as duplicates
    from ._fuse import fuse as fuse
    from ._health import health as health
    from ._health import unjudged as unjudged
    from ._interleave import interleave as interleave
    from ._interleave import interleaved_page as interleaved_page
    from ._interleave import sensitivity as sensitivity
    from ._ladder import ladder as ladder
    from ._leaderboard import leaderboard as leaderboard
    from ._lint import lint as lint
    from ._novelty import novelty as novelty
    from ._nuggets import nuggets as nuggets
    from ._nuggets import support as support
    from ._pool import audit_pool as audit_pool
    from ._pool import pool as pool
    from ._pool import read_candidates as read_candidates
    from ._pool_replay import replay_pool as replay_pool
    from ._power import power as power
    from ._preferences import preferences as preferences
    from ._relabel import relabel as relabel
    from ._reproduce import reproduce as reproduce
    from ._scale import scale as scale
    from ._series import equity as equity
    from ._series import series as series
    from ._test import test as test
    from ._topics import topics as topics
    from ._wide import wide_dominance as wide_dominance
    from ._wide import wide_outcomes as wide_outcomes
    from ._wide import wide_overall as wide_overall
else:
    # Statistics cost 20 ms to load.
    __getattr__ = Later(
        __name__,
        {
            "_ab": "ab assign_users",
            "_across": "across",
            "_agreement": "agreement",
            "_anova": "anova",
            "_answers": "answers",
            "_bridge": "bridge",
            "_clicks": "clicks",
            "_compare": "compare",
            "_convert": "convert",
            "_counterfactual": "counterfactual",
            "_crowd": "crowd",
            "_duplicates": "duplicates",
            "_fuse": "fuse",
            "_health": "health unjudged",
            "_interleave": "interleave interleaved_page sensitivity",
            "_ladder": "ladder",
            "_leaderboard": "leaderboard",
            "_lint": "lint",
            "_novelty": "novelty",
            "_nuggets": "nuggets support",
            "_pool": "audit_pool pool read_candidates",
            "_pool_replay": "replay_pool",
            "_power": "power",
            "_preferences": "preferences",
            "_relabel": "relabel",
            "_reproduce": "reproduce",
            "_scale": "scale",
            "_series": "equity series",
            "_test": "test",
            "_topics": "topics",
            "_wide": "wide_dominance wide_outcomes wide_overall",
        },
    )
