"""What a histogram of `ue-compact` words says of the keys: how many reports gave each level.

A report (φ, φ0) gives key u the residue ⟨φ, u⟩ + φ0 mod q, and each level has r residues in a row. For all
keys at once the histogram is transformed one digit after another, either by adding shifted slices or by
Fourier transforms; for a few keys every word that occurred is checked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Integers
from pckv.base.errors import TallyError
from pckv.base.progress import Progress, no_progress
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.tally.counts import Counts

# Fourier transforms win from this q on, where adding takes q additions per cell and digit.
Q_FOR_FOURIER = 7
# Up to this many reports, rounding a transform in double precision gives the exact counts.
REPORTS_FOR_FOURIER = 2**40
# Cells that are transformed over the offset together.
CELLS_AT_ONCE = 2**22
# Pairs of a word and a key that are checked at once, and at most in all.
CHECKS_AT_ONCE = 2**22
MAX_CHECKS = 2**36


def support(law: UeCompactLaw, counts: Counts, keys: Integers, _progress: Progress = no_progress) -> Integers:
    """Return how many reports say every level, for each of some keys: levels × keys."""
    words, times = counts.nonzero(law.word_limit)
    checks = keys.size * words.size
    if checks <= law.word_limit or not law.decodes_all:
        if checks > MAX_CHECKS:
            raise TallyError(
                f"{law.word_limit:,} words are too many to decode {keys.size:,} keys together: ask for fewer"
            )
        return check_words(law, words, times, keys)
    fourier = law.q >= Q_FOR_FOURIER and int(times.sum()) <= REPORTS_FOR_FOURIER
    used = int(keys.max(initial=0)) + 1
    found = (transform if fourier else add_up)(law, words, times, used)
    return np.asarray(found[:, keys])


def check_words(law: UeCompactLaw, words: Integers, times: Integers, keys: Integers) -> Integers:
    """Check every word against every key."""
    found = np.zeros((law.levels, keys.size), np.int64)
    step = max(1, CHECKS_AT_ONCE // max(1, words.size))
    for start in range(0, keys.size, step):
        residues = law.residue(words[None, :], keys[start : start + step, None])
        for place, first in enumerate(law.firsts):
            said = (residues >= first) & (residues < first + law.r)
            found[place, start : start + step] = said @ times
    return found


def add_up(law: UeCompactLaw, words: Integers, times: Integers, used: int) -> Integers:
    """Replace one digit of φ after another by the key's, top one first, for the keys below `used`.

    Only values that the top digit takes are made, and in the last step only sums over a level's residues.
    """
    q, digits = law.q, law.digits
    histogram = np.zeros(law.word_limit, np.int64)
    histogram[words] = times
    # Axes: residue, key digits so far, the current digit of φ, the digits of φ below it.
    counts = histogram.reshape(-1, q).T.reshape(q, 1, q, -1)
    for digit in range(digits - 1, -1, -1):
        values = -(-used // q ** (digits - 1)) if digit == digits - 1 else q
        wanted = law.firsts if digit == 0 else range(q)
        if digit == 0:
            counts = _sums_of_runs(counts, law.r)
        summed = np.zeros((len(wanted), counts.shape[1], values, counts.shape[3]), np.int64)
        for place, residue in enumerate(wanted):
            for value in range(values):
                for function in range(q):
                    summed[place, :, value] += counts[(residue - function * value) % q, :, function]
        counts = summed.reshape(len(wanted), -1, q, max(1, counts.shape[3] // q)) if digit else summed
    return counts.reshape(law.levels, -1)[:, :used]


def _sums_of_runs(counts: Integers, length: int) -> Integers:
    """Return, for every residue, the sum of this many from it on, around the end."""
    sums = counts.copy()
    for step in range(1, length):
        sums += np.roll(counts, -step, axis=0)
    return sums


def transform(law: UeCompactLaw, words: Integers, times: Integers, used: int) -> Integers:
    """Do the same by Fourier transforms: over the offset, then over φ, read off along the line ω·u.

    n_z(u) = 1/q Σ_ω e^(2πiωz/q) Ĥ(ω·u, ω), and the terms of ω and q - ω are conjugates.
    """
    q, digits = law.q, law.digits
    spectrum = _offset_spectrum(law, words, times)
    keys = np.arange(used)
    key_digits = [keys // q**digit % q for digit in range(digits)]
    found = np.full((law.levels, used), law.r * float(times.sum()))
    for omega in range(1, q // 2 + 1):
        slab = np.fft.fftn(spectrum[omega].reshape((q,) * digits)).reshape(-1)
        line = np.zeros(used, np.int64)
        for digit, values in enumerate(key_digits):
            line += omega * values % q * q**digit
        terms = slab[line]
        for place, first in enumerate(law.firsts):
            turns = np.exp(2j * np.pi * omega * np.arange(first, first + law.r) / q).sum()
            found[place] += 2 * (terms * turns).real
    return np.rint(found / q).astype(np.int64)


def _offset_spectrum(law: UeCompactLaw, words: Integers, times: Integers) -> NDArray[np.complex128]:
    """Return the histogram, transformed over the offset: one row per frequency up to q/2."""
    q = law.q
    spectrum = np.empty((q // 2 + 1, law.functions), np.complex128)
    step = max(1, CELLS_AT_ONCE // q)
    for start in range(0, law.functions, step):
        stop = min(start + step, law.functions)
        inside = slice(*np.searchsorted(words, [start * q, stop * q]))
        part = np.zeros((stop - start) * q)
        part[words[inside] - start * q] = times[inside]
        spectrum[:, start:stop] = np.fft.rfft(part.reshape(-1, q), axis=1).T
    return spectrum
