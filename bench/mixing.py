"""Mixed tasks: sealed reports per second, opening a batch, releasing 10^6 entries, and what sealing costs a page.

The bars: a mixer takes at least 0.8 times as many sealed reports per second as a collector takes clear ones; a
collector opens and stores a batch at no less than 0.7 times the rate of bare loops of `Suite.decrypt`, one process
per core; a release takes at most 60 s and 500 MB; sealing adds at most 5 ms and 2 kB to a participant's page.
"""

from __future__ import annotations

import hashlib
import os
import resource
import secrets
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from bench.collector import OPEN_FILES, OUR_SERVER, TASK, TOKEN, UPLOAD_PATH, running, running_collector
from bench.load import SEALED_SCRIPT, ConnectionUse, closed_loop
from bench.measurement import PAIRS, Measurement, absolute, difference, ratio, seconds
from bench.processes import ROOT, with_peak_memory
from pckv import Task
from pckv.base.days import utc_today
from pckv.base.wire import Report
from pckv.collector.recipient.batches import BatchFetcher
from pckv.collector.recipient.keys import MixerKeys
from pckv.contract.mixer import Mixer, entry_bytes
from pckv.mixing.open_store import open_mixer_store
from pckv.mixing.transactions import BatchState
from pckv.sealing.envelope import info_of
from pckv.sealing.public_key import write_public_key
from pckv.sealing.recipient_key import RecipientKey
from pckv.sealing.seal import seal
from pckv.store import open_store
from pckv.store.base import FetchedBatch, FetchState, Upload
from pckv.web.static_files import load_files

# The collector and the browser that the tests use.
sys.path.insert(0, str(ROOT / "tests"))
from support.browser import OPTIONS, chromium
from support.collectors import running as running_site
from support.stores import store_url

# Where no mixer is: pages are answered in its place, and nothing else asks it.
ORIGIN, OPERATOR = "https://mix.example", "A second party"
SHARE_OF_CLEAR, SHARE_OF_CORES = 0.8, 0.7
SECONDS_PER_LOAD = 3
OPENED, RELEASED, ADDED_AT_ONCE = 30_000, 10**6, 10_000
MAX_SECONDS, MAX_MEGABYTES = 60, 500
FIRST_DAY, CLOSING_DAY = "2020-01-01", "2999-01-01"
WORD = (5).to_bytes(8, "little")
SEALED_AT_ONCE, MAX_MILLISECONDS, MAX_KILOBYTES = 50, 5, 2
# The trial before a report is made, and the sealing of the report: the median milliseconds of both together.
SEAL_IN_PAGE = """async ([text, count]) => {
    const { Task } = await import("/client/index.js");
    const { checkSealing, seal } = await import("/client/mixed.js");
    const task = await Task.fromJson(text);
    const times = [];
    for (let number = 0; number < count; number++) {
        const start = performance.now();
        await checkSealing(task);
        await seal(task, new Uint8Array(8));
        times.push(performance.now() - start);
    }
    return times.sort((first, second) => first - second)[count >> 1];
}"""
# Decrypts its entries whenever it is told to, and does nothing else.
BARE_LOOP = """
import sys
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from pckv.sealing.envelope import suite
entries, secret, info = (Path(name).read_bytes() for name in sys.argv[1:4])
size = int(sys.argv[4])
entries = [entries[first : first + size] for first in range(0, len(entries), size)]
key, algorithms = X25519PrivateKey.from_private_bytes(secret), suite()
print("ready", flush=True)
for _ in sys.stdin:
    for entry in entries:
        algorithms.decrypt(entry, key, info=info)
    print("done", flush=True)
"""
# With all that a mixer loads in memory.
RELEASE = """
import sys, time
import pckv.mixing.app
from pckv.mixing.open_store import open_mixer_store
store = open_mixer_store(sys.argv[1])
start = time.perf_counter()
state = store.release(sys.argv[2], sys.argv[3])
store.erase_deleted()
print(state, time.perf_counter() - start)
"""


def measurements() -> Iterator[Measurement]:
    """Make every measurement, one at a time."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for connections in ConnectionUse:
            yield sealed_reports(folder, connections)
        yield opening(folder)
        for kind in ("sqlite", "postgres"):
            yield from release(kind, folder)
    yield absolute("seal a word, Python", "µs", sealing_times())
    yield from participants_page()


def mixed_task(key: RecipientKey, batch: int, closes: str) -> Task:
    """Return the collector's task with a mixer, whose claim is that of a report alone: no theorem is needed."""
    mixer = Mixer(ORIGIN, OPERATOR, write_public_key(key.public_key), batch, batch, 1, "0.000001")
    return Task(
        name="mixed", keys=TASK.key_count, values=(1, 5), epsilon=1, mechanism="ue-compact", closes=closes, mixer=mixer
    )


def sealed_reports(folder: Path, connections: ConnectionUse) -> Measurement:
    """Send one sealed report per request as fast as possible; the baseline is a collector that takes clear ones."""
    task = mixed_task(RecipientKey.generate(), RELEASED, CLOSING_DAY)
    sealed_path = f"/tasks/{task.id}/sealed"
    ours, baseline = [], []
    for _ in range(PAIRS):
        with running_mixer(8711, folder, task):
            rate = closed_loop(
                8711, sealed_path, folder, connections, template=SEALED_SCRIPT, duration=SECONDS_PER_LOAD
            )
            ours.append(rate)
        with running_collector(8712, folder):
            baseline.append(closed_loop(8712, UPLOAD_PATH, folder, connections, duration=SECONDS_PER_LOAD))
    name = f"sealed single reports, {connections.value}"
    return ratio(name, "reports/s", ours, baseline, SHARE_OF_CLEAR, at_most=False)


@contextmanager
def running_mixer(port: int, folder: Path, task: Task) -> Iterator[None]:
    """Run a mixer with an empty store and one task."""
    store = f"sqlite:///{folder}/{secrets.token_hex(4)}.db"
    flags = ("--origin", ORIGIN, "--operator", OPERATOR, "--port", str(port), "--store", store)
    with running(port, OUR_SERVER, "mix", "serve", *flags):
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        url = f"http://127.0.0.1:{port}/tasks"
        urllib.request.urlopen(urllib.request.Request(url, task.to_json().encode(), headers))
        yield


def opening(folder: Path) -> Measurement:
    """Open and store a batch as a collector's maintenance does, from the file that it pulled to the store."""
    key, cores = RecipientKey.generate(), os.cpu_count() or 1
    task = mixed_task(key, OPENED, utc_today())
    entries = [seal(WORD, key.public_key, task.digest) for _ in range(OPENED)]
    with bare_loops(folder, key, task, entries, cores) as decrypt_all:
        open_batch(folder, key, task, entries)
        decrypt_all()
        pairs = [(open_batch(folder, key, task, entries), decrypt_all()) for _ in range(PAIRS)]
    ours, baseline = ([OPENED / spent for spent in side] for side in zip(*pairs, strict=True))
    return ratio(f"open and store, {cores} cores", "reports/s", ours, baseline, SHARE_OF_CORES, at_most=False)


def open_batch(folder: Path, key: RecipientKey, task: Task, entries: list[bytes]) -> float:
    """Return the seconds that a collector takes from a pulled batch to stored reports, in an empty store."""
    content, name = b"".join(entries), secrets.token_hex(4)
    keys = MixerKeys(str(folder))
    keys.batch_file(task.id).write_bytes(content)
    if not keys.held_keys():
        key.write(folder / f"{write_public_key(key.public_key)}.key")
    store = open_store(f"sqlite:///{folder}/{name}.db")
    store.prepare()
    store.add_task(task, FIRST_DAY)
    pulled = FetchedBatch(FetchState.PULLED, len(entries), hashlib.sha256(content).hexdigest())
    store.record_batch(task.id, pulled)
    # It ends when the mixer, which is not there, should be told.
    spent = seconds(BatchFetcher(store, keys, utc_today).fetch_due)
    found = store.find_batch(task.id)
    store.close()
    if found is None or found.opened != len(entries):
        raise RuntimeError(f"the batch was not opened: {found}")
    return spent


@contextmanager
def bare_loops(
    folder: Path, key: RecipientKey, task: Task, entries: list[bytes], cores: int
) -> Iterator[Callable[[], float]]:
    """Enter with a function that decrypts all entries, in one process per core, and returns the seconds."""
    secret, info = folder / "secret", folder / "info"
    secret.write_bytes(key.secret)
    info.write_bytes(info_of(task.digest))
    with ExitStack() as stack:
        processes = []
        for core in range(cores):
            part = folder / f"entries {core}"
            part.write_bytes(b"".join(entries[core::cores]))
            command = [sys.executable, "-c", BARE_LOOP, str(part), str(secret), str(info), str(entry_bytes(task))]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
            processes.append(stack.enter_context(process))
            # Before the context waits for its end.
            stack.callback(process.kill)

        def answers() -> None:
            for process in processes:
                if process.stdout is None or not process.stdout.readline():
                    raise RuntimeError("a bare loop ended")

        def decrypt_all() -> None:
            for process in processes:
                print("go", file=process.stdin, flush=True)
            answers()

        answers()
        yield lambda: seconds(decrypt_all)


def release(kind: str, folder: Path) -> Iterator[Measurement]:
    """Release and erase the sealed reports of a task, in a process of its own, whose memory is measured."""
    task, url = mixed_task(RecipientKey.generate(), RELEASED, CLOSING_DAY), store_url(kind, folder)
    fill(url, task)
    printed, peak = with_peak_memory(RELEASE, url, task.id, CLOSING_DAY)
    state, spent = printed.split()
    if state != BatchState.RELEASED:
        raise RuntimeError(f"the batch is {state}")
    yield absolute(f"release {RELEASED:,} entries, {kind}", "s", [float(spent)], MAX_SECONDS)
    yield absolute(f"peak memory of the release, {kind}", "MB", [peak], MAX_MEGABYTES)


def fill(url: str, task: Task) -> None:
    """Accept a task and add random bytes, which a mixer cannot tell from sealed reports."""
    store = open_mixer_store(url)
    store.prepare()
    store.accept_task(task, FIRST_DAY, bytes(32))
    rng, size = np.random.default_rng(), entry_bytes(task)
    for _ in range(RELEASED // ADDED_AT_ONCE):
        content = rng.bytes(size * ADDED_AT_ONCE)
        entries = (content[first : first + size] for first in range(0, len(content), size))
        uploads = [Upload(task.id, [Report(hashlib.sha256(entry).digest(), entry) for entry in entries])]
        store.add_sealed(uploads, FIRST_DAY, batches_held=1)
    store.close()


def sealing_times() -> list[float]:
    """Return the microseconds of sealing a word, measured several times."""
    key = RecipientKey.generate().public_key

    def seal_some() -> None:
        for _ in range(SEALED_AT_ONCE):
            seal(WORD, key, bytes(32))

    seal_some()
    return [1e6 / SEALED_AT_ONCE * seconds(seal_some) for _ in range(PAIRS)]


def participants_page() -> Iterator[Measurement]:
    """Seal in the page of a mixed task, and compare the modules of the client with those of an ordinary one."""
    mixed = mixed_task(RecipientKey.generate(), RELEASED, CLOSING_DAY)
    ordinary = Task(name="ordinary", keys=10, values=(1, 5), epsilon=1, mechanism="ue-compact")
    with running_site() as collector, chromium() as browsers:
        browser = browsers.launch(**OPTIONS)
        for task in (mixed, ordinary):
            collector.store.add_task(task, FIRST_DAY)
        address = f"http://127.0.0.1:{collector.port}/join/"
        pages = [opened_page(browser, address, task) for task in (mixed, ordinary)]
        times = [pages[0].page.evaluate(SEAL_IN_PAGE, [mixed.to_json(), SEALED_AT_ONCE]) for _ in range(PAIRS)]
        browser.close()
    yield absolute("sealing in a page, trial included", "ms", times, MAX_MILLISECONDS)
    ours, baseline = ([page.kilobytes] for page in pages)
    yield difference("client of a mixed task's page, compressed", "kB", ours, baseline, MAX_KILOBYTES)


class OpenedPage(NamedTuple):
    """A participant's page, and the size of the modules of the client that it alone loaded."""

    page: Any
    kilobytes: float


def opened_page(browser: Any, address: str, task: Task) -> OpenedPage:
    """Open the page of a task, with an empty cache, and answer in its mixer's place."""
    page = browser.new_context().new_page()
    loaded: set[str] = set()
    page.on("requestfinished", lambda request: loaded.add(urlsplit(request.url).path.lstrip("/")))
    answer = {"content_type": "application/json", "headers": {"Access-Control-Allow-Origin": "*"}}
    page.route(f"{ORIGIN}/**", lambda route: route.fulfill(**answer, body=task.to_json()))
    page.route(f"{ORIGIN}/**/admission", lambda route: route.fulfill(**answer, body='{"coin":null}'))
    page.goto(address + task.id)
    page.locator(".send button").first.wait_for()
    page.wait_for_load_state("networkidle")
    # The modules of the client that this page alone has: what bundles add to each is the same for every page.
    files = load_files()
    further = [path.removeprefix("scripts/join/") for path in loaded if path.startswith("scripts/join/client/")]
    return OpenedPage(page, sum(len(files[path].gzipped or b"") for path in further) / 1000)
