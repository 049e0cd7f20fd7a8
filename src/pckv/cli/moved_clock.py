"""A service of the mixed demo: a collector or a mixer whose clock can be moved forward, so that no one waits for days.

Run as `python -m pckv.cli.moved_clock collector` or `… mixer`, with settings from the environment. A line on standard
input, a number of seconds, moves its clock: days and the time that has passed alike, as if it had run for so long.
What is due then is done at once. Neither `pckv serve` nor `pckv mix serve` has such a clock.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from threading import Thread

from pckv.base.days import utc_day
from pckv.base.errors import PckvError
from pckv.collector.app import CollectorApp
from pckv.collector.http.settings import Settings, load
from pckv.collector.recipient.keys import check_key_folder
from pckv.collector.server import log_listening, serve
from pckv.collector.service import ServiceApp
from pckv.collector.workers import Worker
from pckv.mixing.app import create_mixer
from pckv.mixing.open_store import open_mixer_store
from pckv.mixing.settings import MixerSettings, load_mixer_settings
from pckv.mixing.store import MixerStore
from pckv.store.store import Store
from pckv.web.site import create_site

# Standard input, and the longest line.
INPUT, MAX_LINE_BYTES = 0, 64


class MovedClock:
    """The clock of this machine, moved forward by some seconds."""

    def __init__(self) -> None:
        self._moved = 0.0

    def seconds(self) -> float:
        """Return seconds since 1970."""
        return time.time() + self._moved

    def elapsed(self) -> float:
        """Return seconds that have passed since some moment."""
        return time.monotonic() + self._moved

    def day(self) -> str:
        """Return the day in UTC."""
        return utc_day(self.seconds())

    def follow_input(self, do_due: Callable[[], object]) -> None:
        """Move by what each line of standard input says, and do what is due; in a thread that ends with the process."""

        def follow() -> None:
            # Not by `sys.stdin`, whose lock a thread that reads would hold when the process ends.
            while line := os.read(INPUT, MAX_LINE_BYTES):
                self._moved += float(line)
                do_due()

        Thread(target=follow, daemon=True).start()


def serve_collector(clock: MovedClock) -> None:
    """Serve a collector until a signal says to stop."""

    def create(store: Store, settings: Settings, worker: Worker) -> CollectorApp:
        app = create_site(store, settings, worker, clock.day, clock.seconds)
        clock.follow_input(app.state.collector.fetcher.fetch_due)
        return app

    settings = load({})
    check_key_folder(settings.mixer_keys, settings.store)
    serve(settings, create, log_listening)


def serve_mixer(clock: MovedClock) -> None:
    """Serve a mixer until a signal says to stop."""

    def create(store: MixerStore, settings: MixerSettings, worker: Worker) -> ServiceApp:
        app = create_mixer(store, settings, worker, clock.seconds, clock.elapsed)
        clock.follow_input(app.state.service.maintenance.do_due)
        return app

    serve(load_mixer_settings({}), create, log_listening, open_mixer_store)


if __name__ == "__main__":
    try:
        {"collector": serve_collector, "mixer": serve_mixer}[sys.argv[1]](MovedClock())
    except PckvError as error:
        sys.exit(str(error))
