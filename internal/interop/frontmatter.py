"""One reading of the frontmatter, continued: PyYAML, which knows YAML 1.1, and strictyaml,
which takes every scalar for a string and refuses what is ambiguous, must give what the
entry publishes. The skills must also keep to the rules of the Agent Skills specification
as its reference validator reads them.

FILE is a JSON array of { uri, file, frontmatter }, as frontmatter.mjs has it.
"""

import json
import multiprocessing
import pathlib
import re
import sys
import unicodedata

import strictyaml
import yaml

FIELDS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
LONGEST = {"name": 64, "description": 1024, "compatibility": 500}


def faults(skill):
    """What is wrong with a skill, as a list of sentences."""
    found = []
    file, published = pathlib.Path(skill["file"]), skill["frontmatter"]
    text = file.read_bytes().decode("utf-8")
    block = re.match(r"---\n(.*?\n)---\n", text, re.DOTALL)
    if block is None:
        return ['no frontmatter between exact "---" lines']
    # The reference validator ends the frontmatter at the next three hyphens, wherever they are.
    if text.split("---", 2)[1] != "\n" + block[1]:
        found.append("three hyphens inside the frontmatter")
    for name, parser in (("PyYAML", yaml.safe_load), ("strictyaml", lambda t: strictyaml.load(t).data)):
        try:
            parsed = parser(block[1])
        except Exception as error:  # whatever a parser raises is a refusal
            found.append(f"{name} refuses it: {error}")
            continue
        # strictyaml gives a dict of its own kind; types below it must be those of JSON.
        if json.dumps(parsed, sort_keys=True, default=repr) != json.dumps(published, sort_keys=True):
            found.append(f"{name} reads {parsed!r}, the entry has {published!r}")
    for field in published.keys() - FIELDS:
        found.append(f"the field {field} is unknown")
    for field, most in LONGEST.items():
        value = published.get(field, "-")
        if not isinstance(value, str) or not value.strip() or len(value) > most:
            found.append(f"{field} is no text of 1 to {most} characters")
    name = published["name"]
    if name != unicodedata.normalize("NFKC", name) or name != name.lower():
        found.append("the name is not in lower case, or not normalized")
    if not all(c.isalnum() or c == "-" for c in name) or name.strip("-") != name or "--" in name:
        found.append("the name has other characters than letters, digits and single hyphens between them")
    if unicodedata.normalize("NFKC", file.parent.name) != name:
        found.append(f"the name {name} is not that of its folder {file.parent.name}")
    if not all(isinstance(s, str) for pair in published.get("metadata", {}).items() for s in pair):
        found.append("the metadata has more than texts")
    return [f"{skill['uri']}: {fault}" for fault in found]


def main():
    skills = json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8"))
    wrong = 0
    with multiprocessing.Pool() as pool:
        for found in pool.imap(faults, skills, chunksize=32):
            for fault in found:
                wrong += 1
                if wrong <= 10:
                    print("FAIL", fault, file=sys.stderr)
    print(json.dumps({"skills": len(skills), "faults": wrong}))
    return 1 if wrong or not skills else 0


if __name__ == "__main__":
    sys.exit(main())
