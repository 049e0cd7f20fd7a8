"""Every schedule of a device that reports to a series: when it is on, what its clock shows, where it is killed.

The walk visits every state that some schedule leads to, and takes every action from it. What a call must answer is
computed here from the rounds that were reported, and compared.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count, pairwise

from pckv.client import RoundReceipt
from pckv.client.panel import PANEL_SUFFIX
from support.client_series import NEW, DeviceState, SeriesDevice, during, kill_at

ACTIONS = ("report", "wrong clock", "kill", "unreachable", "lost answer", "removed panel", "another process")
# Steps at which another process may run: it would wait for the lock at all others.
UNLOCKED_STEPS = {"request", "answer", "lock"}
# More calls than any walk makes: a client that never comes to rest is at fault.
MAX_CALLS = 50_000


@dataclass
class Walk:
    """A walk through all schedules of T rounds with at most a number of faults.

    A device that is off costs nothing; a kill, a wrong clock, an unreachable collector, a lost answer,
    another process in between and a removed panel cost one fault each.
    """

    device: SeriesDevice
    rounds: int
    faults: int
    calls: int = 0
    states: int = 0

    def run(self) -> None:
        """Visit everything, round by round."""
        reached = {NEW: self.faults}
        for now in range(self.rounds + 2):
            self.device.collector.now = during(now)
            reached = self._visit(now, reached)

    def _visit(self, now: int, reached: dict[DeviceState, int]) -> dict[DeviceState, int]:
        """Return all states that calls during a round lead to, with the faults that are left."""
        queue = list(reached.items())
        while queue:
            state, left = queue.pop()
            if reached[state] > left:
                continue
            self.states += 1
            for found, cost in self._actions(now, state, left):
                if reached.get(found, -1) < left - cost:
                    reached[found] = left - cost
                    queue.append((found, left - cost))
        return reached

    def _actions(self, now: int, state: DeviceState, left: int) -> Iterator[tuple[DeviceState, int]]:
        steps: list[str] = []
        yield self._call(now, state, partial(self.check_call, now, now, steps.append)), 0
        if not left:
            return
        faults: list[Callable[[], None]] = [partial(self._killed, now, at) for at in range(len(steps))]
        faults += [partial(self.check_call, now, clock) for clock in range(self.rounds + 2) if clock != now]
        faults += [partial(fault, now) for fault in (self._unreachable, self._lost, self._without_panel)]
        faults += [
            partial(self._overtaken, now, clock, at)
            for at, step in enumerate(steps)
            for clock in {now, max(0, now - self.device.series.panels)}
            if step in UNLOCKED_STEPS
        ]
        for fault in faults:
            yield self._call(now, state, fault), 1

    def _call(self, now: int, state: DeviceState, action: Callable[[], None]) -> DeviceState:
        self.calls += 1
        assert self.calls < MAX_CALLS
        self.device.return_to(state)
        made = self.device.rounds_with(".report")
        action()
        check_window(self.device)
        new = self.device.rounds_with(".report") - made
        assert all(number > max(made, default=0) for number in new), f"round {new} after {made}"
        if not self.device.collector.trusting:
            assert new <= {now}, f"a report of round {new} was made in round {now}"
        return self.device.state()

    def check_call(self, now: int, clock: int, step: Callable[[str], None] = lambda _: None) -> None:
        """Check that a call by a clock says and does what it must."""
        device = self.device
        expected = expected_status(device, now, clock, self.rounds)
        receipt = device.report(during(clock), step)
        assert isinstance(receipt, RoundReceipt), receipt
        assert receipt.status == expected, (receipt, now, clock)
        assert device.series.id + PANEL_SUFFIX in device.files, "the panel is not stored"
        assert receipt.perturbed <= (now == clock or device.collector.trusting)
        if clock in device.rounds_with(".report"):
            assert (receipt.round, int(receipt.epsilon)) == (clock, 1)
        else:
            assert receipt.epsilon == 0

    def act(self, now: int, action: str, number: int) -> None:
        """Take one action of a schedule in the state that the device is in; the number says where or when."""
        clock = number % (self.rounds + 2)
        actions: dict[str, Callable[[], None]] = {
            "report": partial(self.check_call, now, now),
            "wrong clock": partial(self.check_call, now, clock),
            "kill": partial(self._killed, now, number),
            "unreachable": partial(self._unreachable, now),
            "lost answer": partial(self._lost, now),
            "removed panel": partial(self._without_panel, now),
            "another process": partial(self._overtaken, now, clock, 0),
        }
        made = self.device.rounds_with(".report")
        actions[action]()
        check_window(self.device)
        assert self.device.rounds_with(".report") - made <= {now}

    def _killed(self, now: int, at: int) -> None:
        self.device.report(during(now), kill_at(at))

    def _unreachable(self, now: int) -> None:
        made = self.device.rounds_with(".report")
        self.device.collector.reachable = False
        self.device.report(during(now))
        self.device.collector.reachable = True
        assert self.device.rounds_with(".report") == made

    def _lost(self, now: int) -> None:
        self.device.collector.loses = True
        self.device.report(during(now))
        self.device.collector.loses = False

    def _without_panel(self, now: int) -> None:
        self.device.remove(self.device.series.id + PANEL_SUFFIX)
        self.device.report(during(now))

    def _overtaken(self, now: int, clock: int, at: int) -> None:
        """Let another process report at a step of the first one."""
        left = at

        def step(_: str) -> None:
            nonlocal left
            left -= 1
            if left == -1:
                self.device.report(during(clock))

        self.device.report(during(now), step)


def interleave(device: SeriesDevice, clocks: tuple[int, int], pauses: tuple[int, int]) -> list[object]:
    """Let two processes report: the first until it pauses, the second until it pauses, the first to its end, the second.

    Args:
        device: Whose processes they are.
        clocks: The round that each one's clock shows.
        pauses: At which of the steps without the lock each one pauses, counted from 0.

    Returns:
        What the processes answer.
    """
    answers: list[object] = []
    paused, released = threading.Event(), threading.Event()

    def at_pause(number: int, pause: Callable[[], None]) -> Callable[[str], None]:
        places = count()
        return lambda step: pause() if step in UNLOCKED_STEPS and next(places) == number else None

    def wait_for_the_first() -> None:
        paused.set()
        released.wait()

    def run_second() -> None:
        answers.append(device.report(during(clocks[1]), at_pause(pauses[1], wait_for_the_first)))
        paused.set()

    second = threading.Thread(target=run_second)

    def start_second() -> None:
        second.start()
        paused.wait()

    answers.append(device.report(during(clocks[0]), at_pause(pauses[0], start_second)))
    released.set()
    if second.ident is not None:
        second.join()
    return answers


def expected_status(device: SeriesDevice, now: int, clock: int, rounds: int) -> str:
    """Return what a call that nothing disturbs says in a round, if the clock shows another one."""
    made, panels = device.rounds_with(".report"), device.series.panels
    if clock > rounds:
        return "over"
    if clock in made:
        return _expected_outcome(device, now, clock)
    panel = expected_panel(device)
    free = [
        number
        for number in range(max(clock, 1), rounds + 1)
        if number % panels == panel and (not made or number >= max(made) + panels)
    ]
    if not free:
        return "over"
    if clock == 0:
        return "not_started"
    if free[0] > clock:
        return "not_due"
    return "sent" if clock == now or device.collector.trusting else "refused"


def expected_panel(device: SeriesDevice) -> int:
    """Return the stored panel, or the one that is drawn next."""
    text = device.files.get(device.series.id + PANEL_SUFFIX)
    return int(json.loads(text)["panel"]) if text else (device.panel + device.draws) % device.series.panels


def _expected_outcome(device: SeriesDevice, now: int, clock: int) -> str:
    outcome = device.files.get(device.tasks[clock] + ".outcome")
    if outcome is not None:
        return str(json.loads(outcome)["status"])
    if clock > now:
        return "sent" if device.collector.trusting else "waiting"
    return "sent" if clock == now or device.collector.trusting else "refused"


def check_window(device: SeriesDevice) -> None:
    """Check that rounds in a row, as many as there are panels, hold one report, and that no report was made twice."""
    sent = [number for number, _ in device.uploads()]
    assert len(sent) == len(set(sent)), f"two reports of one round were sent: {sent}"
    assert set(sent) <= device.rounds_with(".spent"), "a report was sent before it was recorded"
    made = sorted(device.rounds_with(".report") | set(sent))
    for first, second in pairwise(made):
        assert second - first >= device.series.panels, f"reports in rounds {first} and {second}"
