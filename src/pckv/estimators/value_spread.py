"""How the holders of every key are spread over the levels: the part of estimates that only tasks with more levels have."""

from __future__ import annotations

from pckv.arrays import Floats
from pckv.estimators.distributions import Distributions, Quantiles, Shares


class ValueSpread:
    """The part of a table of estimates that knows the shares of levels; empty where the task has two."""

    distributions: Distributions

    @property
    def level_values(self) -> tuple[float, ...]:
        """What each level is worth, in the task's own units; empty where there are two."""
        return self.distributions.values

    @property
    def shares(self) -> Floats:
        """The share of the holders at every level, one row per key; no column where the task has two levels."""
        return self.distributions.shares

    @property
    def shares_low(self) -> Floats:
        """The lower limits of the shares."""
        return self.distributions.shares_low

    @property
    def shares_high(self) -> Floats:
        """The upper limits of the shares."""
        return self.distributions.shares_high

    @property
    def deviation(self) -> Floats:
        """The standard deviation of the values of every key; empty where the task has two levels.

        Values that were rounded to levels at random vary more than they did before; the lower limits allow for that.
        """
        return self.distributions.deviation

    @property
    def deviation_low(self) -> Floats:
        """The lower limits of the standard deviations."""
        return self.distributions.deviation_low

    @property
    def deviation_high(self) -> Floats:
        """The upper limits of the standard deviations."""
        return self.distributions.deviation_high

    def quantile(self, p: float) -> Quantiles:
        """Return a quantile of every key's values: the least value that this share of the holders do not exceed.

        Where the task refuses values between its levels, it is a level. Otherwise values between two levels are taken
        to be spread evenly there, and the interval holds however they are spread.

        Args:
            p: The share, such as 0.5 for the median.

        Returns:
            The quantile of every key with its interval, in the task's own units.

        Raises:
            ParameterError: if the share is not between 0 and 1, or the task has two levels.
        """
        return self.distributions.quantile(p)

    def share_above(self, value: float) -> Shares:
        """Return the share of every key's holders at levels above a value.

        Args:
            value: A level, or any value of the range where the task refuses values between its levels.

        Returns:
            The share of every key with its interval.

        Raises:
            ParameterError: if the value is none of these, or the task has two levels.
        """
        return self.distributions.share_above(value)

    def share_below(self, value: float) -> Shares:
        """Return the share of every key's holders at levels below a value.

        Args:
            value: A level, or any value of the range where the task refuses values between its levels.

        Returns:
            The share of every key with its interval.

        Raises:
            ParameterError: if the value is none of these, or the task has two levels.
        """
        return self.distributions.share_below(value)
