"""A Spark session: the one that exists, or one that is started here; Java, settings, and errors of one line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pckv.base.errors import DataError, MissingExtra, first_line, require

DEFAULT_MASTER = "local[*]"
MIN_JAVA = 17
LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
STDERR = 2


class UnreadableFile(DataError):
    """A file that Spark cannot read."""


def spark_session(master: str | None) -> Any:
    """Return the active session (as under spark-submit), or start one that lasts as long as this process."""
    sql = require("pyspark.sql", extra="spark")
    active = sql.SparkSession.getActiveSession()
    if active is not None:
        return active
    check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.appName("pckv")
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        # Not under spark-submit, which brings its own settings.
        for name, value in _settings(master or DEFAULT_MASTER).items():
            builder = builder.config(name, value)
    elif master:
        builder = builder.master(master)
    with _without_startup_messages():
        return builder.getOrCreate()


def _settings(master: str) -> dict[str, str]:
    settings = {
        "spark.master": master,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}",
        "spark.driver.maxResultSize": "0",
    }
    if master.startswith("local"):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return settings


def check_java() -> None:
    """Refuse to start without a Java that Spark runs on."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    wanted = f"Spark needs Java {MIN_JAVA} or newer"
    if java is None:
        raise MissingExtra(f"{wanted}: none was found (install one, or set JAVA_HOME)")
    printed = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    version = re.search(r'version "(\d+)', printed)
    if version is None or int(version[1]) < MIN_JAVA:
        raise MissingExtra(f"{wanted}: {java} is {first_line(ValueError(printed))}")


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn whatever goes wrong in Spark into a `DataError` of one line."""
    errors = require("pyspark.errors", extra="spark")
    protocol = require("py4j.protocol", extra="spark")
    try:
        with warnings.catch_warnings():
            # About pandas, which no row passes through.
            warnings.simplefilter("ignore", FutureWarning)
            yield
    except (errors.PySparkException, protocol.Py4JError, OSError) as error:
        reason = _reason(error)
        kind = UnreadableFile if reason.startswith("[FAILED_READ_FILE") else DataError
        raise kind(f"Spark: {reason}") from None


def _reason(error: Exception) -> str:
    """Return what went wrong, without the layers that only pass it on."""
    java = getattr(error, "java_exception", None)
    while java is not None:
        message = java.getMessage() or ""
        if message and "awaitResult" not in message:
            return first_line(ValueError(message))
        java = java.getCause()
    _, _, trace = str(error).partition("Traceback (most recent call last):\n")
    raised = (line for line in trace.splitlines() if not line.startswith(" "))
    return next(raised, first_line(error))


@contextmanager
def _without_startup_messages() -> Iterator[None]:
    """Hide what Java prints while it starts, unless it fails or stderr is a terminal."""
    if sys.stderr.isatty():
        yield
        return
    errors = require("pyspark.errors", extra="spark")
    stderr = os.dup(STDERR)
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), STDERR)
        try:
            yield
        except errors.PySparkException as error:
            printed.seek(0)
            lines = printed.read().decode(errors="replace").splitlines()
            line = next((line for line in lines if "Exception: " in line), first_line(error))
            raise DataError(f"Spark: {line.rpartition('Exception: ')[2]}") from None
        finally:
            os.dup2(stderr, STDERR)
            os.close(stderr)
