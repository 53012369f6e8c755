"""Tools: typed methods whose signature is the schema and whose docstring describes them.

`@tool` marks a method of a `Toolset`. Brief, errors and foreign schemas are made from
the declaration, so nothing is stated twice. Arguments are strict: no unknown names and
no conversions between JSON types.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from gym_desks.core.action import json_type
from gym_desks.errors import ActionError

F = TypeVar("F", bound=Callable[..., str])

_MARK = "_gym_desks_tool"


def tool(method: F) -> F:
    """Mark a method as a tool that agents may call."""
    setattr(method, _MARK, True)
    return method


@dataclass(frozen=True)
class Tool:
    """The declaration of one tool."""

    method: Callable[..., str]

    @property
    def name(self) -> str:
        """The name an agent calls it by."""
        return self.method.__name__

    @property
    def description(self) -> str:
        """The docstring's first paragraph, on one line."""
        text = inspect.getdoc(self.method) or ""
        return " ".join(text.split("\n\n")[0].split())

    @cached_property
    def parameters(self) -> type[BaseModel]:
        """A pydantic model of the arguments."""
        signature = inspect.signature(self.method, eval_str=True)
        fields: dict[str, Any] = {
            name: (p.annotation, ... if p.default is p.empty else p.default)
            for name, p in list(signature.parameters.items())[1:]
        }
        return create_model(self.name, __config__=ConfigDict(extra="forbid", strict=True), **fields)

    @cached_property
    def types(self) -> Mapping[str, str]:
        """The JSON type of each argument, with `?` where it may be left out."""
        schema = self.parameters.model_json_schema()
        required = schema.get("required", [])
        return {
            name: _type_name(part) + ("" if name in required else "?")
            for name, part in schema.get("properties", {}).items()
        }

    @property
    def form(self) -> str:
        """The arguments as an agent reads them: `{"path": string}`."""
        return "{" + ", ".join(f'"{name}": {kind}' for name, kind in self.types.items()) + "}"

    def bind(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Check the arguments. Raises ActionError of kind `arguments`."""
        try:
            model = self.parameters.model_validate(dict(args))
        except ValidationError as error:
            reasons = "; ".join(_reason(item) for item in error.errors()[:4])
            raise ActionError(
                f"{self.name}: {reasons}. Expected args: {self.form}", "arguments"
            ) from None
        return {name: getattr(model, name) for name in type(model).model_fields}


class Toolset:
    """The tools of one desk at work. Subclasses add methods marked with `@tool`."""

    tools: ClassVar[Mapping[str, Tool]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        found: dict[str, Tool] = {}
        for base in cls.__bases__:
            found |= getattr(base, "tools", {})
        found |= {name: Tool(m) for name, m in vars(cls).items() if hasattr(m, _MARK)}
        cls.tools = found

    def call(self, name: str, args: Mapping[str, Any]) -> str:
        """Run one tool. Raises ActionError for an unknown tool or wrong arguments."""
        if name not in self.tools:
            known = ", ".join([*self.tools, "submit"])
            raise ActionError(f"unknown tool {name[:80]!r}; tools: {known}", "unknown_tool")
        declared = self.tools[name]
        return declared.method(self, **declared.bind(args))


def _type_name(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        names = [_type_name(part) for part in schema["anyOf"]]
        return " or ".join(name for name in names if name != "null")
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    return str(schema.get("type", "any"))


def _reason(item: Mapping[str, Any]) -> str:
    name = ".".join(str(part) for part in item["loc"])[:80]
    if item["type"] == "missing":
        return f"missing argument {name!r}"
    if item["type"] == "extra_forbidden":
        return f"unknown argument {name!r}"
    return f"argument {name!r} is {json_type(item['input'])}: {item['msg']}"
