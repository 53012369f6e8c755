"""Draw until every gate passes. A desk never falls through to an easier instance."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeVar

from gym_desks.errors import GenerationError

TRIES = 200

T = TypeVar("T")

_log = logging.getLogger(__name__)


def first_passing(draw: Callable[[], T], gates: Mapping[str, Callable[[T], bool]], what: str) -> T:
    """Return the first draw that passes all gates, asked in their order.

    `what` names the instance and its seed. Rejections are logged at debug level, one line
    an instance. Raises GenerationError after `TRIES` draws.
    """
    rejected: Counter[str] = Counter()
    for _ in range(TRIES):
        found = draw()
        failed = next((name for name, passes in gates.items() if not passes(found)), None)
        if failed is None:
            _log.debug("%s: %d draws rejected: %s", what, rejected.total(), dict(rejected))
            return found
        rejected[failed] += 1
    raise GenerationError(f"{what}: none of {TRIES} draws passes; rejected by {dict(rejected)}")
