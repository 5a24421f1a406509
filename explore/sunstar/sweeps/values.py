# SPDX-License-Identifier: MIT
"""The values of one parameter in a specification: a list, or a range from which steps or samples are taken."""

import math
from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from sunstar.quantities import Quantity, quantity
from sunstar.runs.point import Value

Number = int | float | str
"""A number, or a quantity with its unit."""


class Strict(BaseModel):
    """A part of a specification: no key that it does not know, no text for a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


class Range(Strict):
    """All values between two."""

    least: Number = Field(alias="from", description='the least value: a number, or a quantity such as "8KiB"')
    most: Number = Field(alias="to", description="the greatest value, of the same kind")
    scale: Literal["linear", "log"] = Field(
        "linear", description="log: the steps or samples are even in the logarithm of the value"
    )
    integer: bool = Field(False, description="only whole numbers; sizes are always whole bytes")
    multiple_of: Number | None = Field(None, description="only multiples of this number or quantity")

    @model_validator(mode="after")
    def _check(self) -> Self:
        least, most = base_value(self.least), base_value(self.most)
        if least is None or most is None or least.base != most.base:
            raise ValueError(
                f"from {self.least} to {self.most}: both must be numbers, or quantities such as "
                '"8KiB", "20ns", "200MB/s" and "50MHz" of the same dimension'
            )
        if least.value > most.value:
            raise ValueError(f"from {self.least} to {self.most}: the first must not be greater than the second")
        if self.scale == "log" and least.value <= 0:
            raise ValueError(f"from {self.least}: with the scale log it must be greater than 0")
        step = None if self.multiple_of is None else base_value(self.multiple_of)
        if self.multiple_of is not None and (step is None or step.base != least.base or step.value <= 0):
            raise ValueError(f"multiple_of {self.multiple_of}: it must be positive, and of the range's dimension")
        if step is not None and self._rounded(least.value, step.value) > most.value:
            raise ValueError(f"multiple_of {self.multiple_of}: from {self.least} to {self.most} there is none")
        return self

    def at(self, share: float) -> Value:
        """The value at a share from 0 to 1 of the way."""
        least, most = quantity_of(self.least), quantity_of(self.most)
        if self.scale == "log":
            value = math.exp(math.log(least.value) + share * (math.log(most.value) - math.log(least.value)))
        else:
            value = least.value + share * (most.value - least.value)
        return self.value_of(min(max(value, least.value), most.value))

    def value_of(self, value: float) -> Value:
        """A number of base units that is in the range as a configuration takes it, rounded to what the range allows."""
        base = quantity_of(self.least).base
        if self.multiple_of is not None:
            value = self._rounded(value, quantity_of(self.multiple_of).value)
        elif self.integer or base == "B":
            value = round(value)
        if base:
            return str(Quantity(value, base))
        return round(value) if self.integer or isinstance(value, int) or self._whole() else value

    def _whole(self) -> bool:
        return isinstance(self.multiple_of, int)

    def _rounded(self, value: float, step: float) -> float:
        """The nearest multiple that is in the range."""
        least, most = quantity_of(self.least).value, quantity_of(self.most).value
        low, high = math.ceil(least / step), math.floor(most / step)
        return step * max(min(round(value / step), high), low)


class Steps(Range):
    """Values at equal distances."""

    steps: int = Field(ge=1, description="how many values, the first and the last included")

    def values(self) -> list[Value]:
        shares = [i / (self.steps - 1) for i in range(self.steps)] if self.steps > 1 else [0.0]
        found: list[Value] = []
        for share in shares:
            if (value := self.at(share)) not in found:  # whole numbers may meet
                found.append(value)
        return found


class Choices(Strict):
    """Any of a few values, each as likely."""

    choices: list[Value] = Field(min_length=1, description="the values")

    def at(self, share: float) -> Value:
        return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]


def kind_of_axis(value: object) -> str:
    return "[values]" if isinstance(value, list) else "[range]"


def kind_of_sample(value: object) -> str:
    chosen = "choices" in value if isinstance(value, dict) else isinstance(value, Choices)
    return "[choices]" if chosen else "[range]"


Axis = Annotated[
    Annotated[list[Value], Field(min_length=1), Tag("[values]")] | Annotated[Steps, Tag("[range]")],
    Discriminator(kind_of_axis),
]
"""What a grid says of a parameter."""
Sampled = Annotated[
    Annotated[Choices, Tag("[choices]")] | Annotated[Range, Tag("[range]")], Discriminator(kind_of_sample)
]
"""What a sample says of a parameter."""


def values_of(axis: Sequence[Value] | Steps) -> list[Value]:
    return axis.values() if isinstance(axis, Steps) else list(axis)


def base_value(number: Number) -> Quantity | None:
    """A number as it is, a quantity in its base unit; None if the text is neither."""
    return quantity(number) if isinstance(number, str) else Quantity(number, "")


def quantity_of(number: Number) -> Quantity:
    found = base_value(number)
    assert found is not None  # the validator has looked
    return found
