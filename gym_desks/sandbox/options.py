"""What a user may set about sandboxes. Every value is a JSON value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gym_desks.errors import ConfigurationError

MIN_TIMEOUT = 0.05


class SandboxOptions(BaseModel):
    """Limits of one sandbox and how to start it.

    `image`, `docker_host` and `runtime` concern the docker backend: the image (the suite's
    own by default), the engine (`DOCKER_HOST` by default) and the engine's runtime, such as
    `runsc` or `kata`. `output_cap` is in bytes, for each of the two output streams.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    image: str | None = None
    docker_host: str | None = None
    runtime: str | None = None
    memory_mb: int = Field(256, ge=64, le=65_536)
    pids: int = Field(64, ge=8, le=4_096)
    cpus: float = Field(1.0, ge=0.05, le=64)
    workspace_mb: int = Field(64, ge=1, le=16_384)
    call_timeout: float = Field(30.0, gt=MIN_TIMEOUT, le=3_600)
    output_cap: int = Field(16_000, ge=256, le=1_000_000)

    @model_validator(mode="after")
    def _files_fit_into_memory(self) -> Self:
        """Files are kept in memory: a full workspace must leave room for code."""
        if self.workspace_mb * 2 > self.memory_mb:
            raise ValueError("workspace_mb must be at most half of memory_mb")
        return self

    def timeout(self, wanted: float | None) -> float:
        """Return the wanted timeout of a call, brought into the range that is allowed."""
        if wanted is None or math.isnan(wanted):
            return self.call_timeout
        return min(max(wanted, MIN_TIMEOUT), self.call_timeout)


def checked_options(given: SandboxOptions | Mapping[str, Any] | None) -> SandboxOptions:
    """Return options from what a user gave. Raises ConfigurationError."""
    if isinstance(given, SandboxOptions):
        return given
    try:
        return SandboxOptions.model_validate(dict(given or {}))
    except ValidationError as error:
        reasons = (": ".join([*map(str, e["loc"]), e["msg"]]) for e in error.errors())
        fields = ", ".join(SandboxOptions.model_fields)
        raise ConfigurationError(
            f"sandbox options: {'; '.join(reasons)} (the fields are {fields})"
        ) from None
