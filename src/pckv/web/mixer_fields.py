"""The fields of a form that name a mixer, and the members of a task that they and a plan become."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

from pydantic import BaseModel

from pckv.base.canonical import check_name
from pckv.base.errors import ParameterError
from pckv.base.limits import DEVICE_COIN
from pckv.contract.mixer import Mixer, check_origin
from pckv.planning.mixing import PlannedMixing
from pckv.sealing.public_key import read_public_key

# A field, and a check of the library that raises what is wrong with it.
FieldCheck = tuple[str, Callable[[], object]]


class MixerFields(BaseModel):
    """Which mixer a task names, where there is one: its origin, who runs it, and the key that reports are sealed for.

    With a mixer, the ε of a form is the one that is wanted towards the recipient.
    """

    mixer: str | None = None
    mixer_operator: str | None = None
    recipient_key: str | None = None

    def mixer_checks(self, closes: str | None, coin: str, *, in_rounds: bool) -> Iterator[FieldCheck]:
        """Yield the checks of these fields, and of what a mixer needs besides."""
        if self.mixer is None:
            for field in ("mixer_operator", "recipient_key"):
                if getattr(self, field) is not None:
                    yield field, partial(_refuse, f"{field} is for a task with a mixer: name its address, too")
            return
        yield "mixer", partial(check_origin, self.mixer)
        yield "mixer_operator", partial(check_name, self.mixer_operator or "", "the name of the mixer's operator")
        yield "recipient_key", partial(read_public_key, self.recipient_key)
        if closes is None and not in_rounds:
            yield "closes", partial(_refuse, "a mixed task needs a day on which it closes: its batch leaves then")
        if coin != DEVICE_COIN:
            yield "coin", partial(_refuse, "with a mixer every device draws all of its report's randomness")

    def mixed_members(self, planned: PlannedMixing) -> dict[str, Any]:
        """Return the ε of a report and the mixer of a task, as a plan proposes them."""
        named: dict[str, Any] = {"url": self.mixer, "operator": self.mixer_operator, "key": self.recipient_key}
        return {"epsilon": f"{planned.local_epsilon:g}", "mixer": Mixer(**named, **asdict(planned.mixer))}


MIXER_FIELDS = frozenset(MixerFields.model_fields)


def _refuse(reason: str) -> None:
    raise ParameterError(reason)
