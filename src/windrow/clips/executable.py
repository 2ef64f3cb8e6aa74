"""The ffmpeg that comes with `imageio-ffmpeg`."""

from pathlib import Path

import imageio_ffmpeg

from windrow.contracts.errors import Code, Fatal


def find() -> Path:
    """Where it is; on a platform that it is not shipped for, the one of the system."""
    try:
        return Path(imageio_ffmpeg.get_ffmpeg_exe())
    except RuntimeError as error:
        raise Fatal(
            f"there is no ffmpeg on this machine: {error}",
            code=Code.CONFIGURATION,
            hint="install ffmpeg, and name it in IMAGEIO_FFMPEG_EXE",
        ) from error
