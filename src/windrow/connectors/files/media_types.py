"""What kind of content a file has, by the ending of its name: the same answer on every machine."""

import mimetypes

# without the files of the system, which differ from one machine to the next
_KNOWN = mimetypes.MimeTypes(filenames=())
_OFFICE = "application/vnd.openxmlformats-officedocument"
_MORE = {
    ".7z": "application/x-7z-compressed",
    ".avif": "image/avif",
    ".c": "text/x-c",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".epub": "application/epub+zip",
    ".flac": "audio/flac",
    ".go": "text/x-go",
    ".ipynb": "application/x-ipynb+json",
    ".java": "text/x-java",
    ".js": "text/javascript",
    ".m4a": "audio/mp4",
    ".md": "text/markdown",
    ".mjs": "text/javascript",
    ".mkv": "video/x-matroska",
    ".ndjson": "application/x-ndjson",
    ".odp": "application/vnd.oasis.opendocument.presentation",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ogg": "audio/ogg",
    ".parquet": "application/vnd.apache.parquet",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".rs": "text/x-rust",
    ".rst": "text/x-rst",
    ".rtf": "application/rtf",
    ".sql": "application/sql",
    ".toml": "application/toml",
    ".ts": "text/x-typescript",
    ".wasm": "application/wasm",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
_PACKED = {"gzip": "application/gzip", "bzip2": "application/x-bzip2", "xz": "application/x-xz"}


def media_type(name: str) -> str | None:
    """The media type that a name's ending stands for, or None. What is packed is its packing, not what is inside."""
    stem, dot, ending = name.rpartition(".")
    if not stem or not dot:
        return None
    # with a stem of ours: the library takes its argument for a URL, and a name can look like one
    known, packed = _KNOWN.guess_type(f"file.{ending.lower()}")
    return _PACKED.get(packed or "") or _MORE.get(f".{ending.lower()}") or known
