"""A file's language, by its name: a label to search by, not a judgement."""

import posixpath

_BY_NAME = {"Dockerfile": "dockerfile", "Makefile": "make", "CMakeLists.txt": "cmake"}
_BY_ENDING = {
    ending: name
    for name, endings in {
        "c": "c h",
        "c++": "cc cpp cxx hh hpp hxx",
        "c#": "cs",
        "clojure": "clj cljs",
        "css": "css scss sass less",
        "dart": "dart",
        "elixir": "ex exs",
        "erlang": "erl hrl",
        "go": "go",
        "graphql": "graphql gql",
        "groovy": "groovy gradle",
        "haskell": "hs",
        "html": "html htm xhtml",
        "java": "java",
        "javascript": "js mjs cjs jsx",
        "json": "json jsonc ndjson",
        "julia": "jl",
        "kotlin": "kt kts",
        "lua": "lua",
        "markdown": "md markdown",
        "notebook": "ipynb",
        "objective-c": "m mm",
        "ocaml": "ml mli",
        "perl": "pl pm",
        "php": "php",
        "protobuf": "proto",
        "python": "py pyi pyx",
        "r": "r",
        "restructuredtext": "rst",
        "ruby": "rb",
        "rust": "rs",
        "scala": "scala sc",
        "shell": "sh bash zsh fish",
        "sql": "sql",
        "swift": "swift",
        "terraform": "tf tfvars",
        "toml": "toml",
        "typescript": "ts tsx mts cts",
        "vue": "vue",
        "xml": "xml xsd xsl svg",
        "yaml": "yaml yml",
        "zig": "zig",
    }.items()
    for ending in endings.split()
}


def language(path: str) -> str | None:
    """What a file is written in, if its name tells."""
    name = posixpath.basename(path)
    if name in _BY_NAME:
        return _BY_NAME[name]
    _, dot, ending = name.rpartition(".")
    return _BY_ENDING.get(ending.lower()) if dot else None
