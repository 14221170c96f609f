"""The extension for Visual Studio Code as one file that it installs: the same bytes every time."""

from __future__ import annotations

import json
import subprocess
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import rulesdsl
from tools.environment import PAGE, ROOT

SOURCES = ROOT / "docs" / "how-to" / "editors"
_TYPES = """\
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/>
<Default Extension=".txt" ContentType="text/plain"/>
</Types>
"""


def name() -> str:
    """Return the name of the file."""
    return f"rulesdsl-{rulesdsl.__version__}.vsix"


def build() -> bytes:
    """Return the extension with its packages bundled into one script.

    Raises CalledProcessError if the script has a mistake; the cause is printed.
    """
    package = json.loads((SOURCES / "package.json").read_text(encoding="utf-8"))
    kept = {key: value for key, value in package.items() if key not in ("dependencies", "private")}
    files = {
        "[Content_Types].xml": _TYPES.encode(),
        "extension.vsixmanifest": _manifest(package).encode(),
        "extension/package.json": (json.dumps(kept, indent=2) + "\n").encode(),
        "extension/extension.js": _bundled(),
        "extension/LICENSE.txt": (ROOT / "LICENSE").read_bytes(),
    }
    for each in ("language-configuration.json", "rulesdsl.tmLanguage.json"):
        files[f"extension/{each}"] = (SOURCES / each).read_bytes()
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as archive:
        for path, data in files.items():
            archive.writestr(ZipInfo(path, (1980, 1, 1, 0, 0, 0)), data)
    return out.getvalue()


def _bundled() -> bytes:
    with TemporaryDirectory() as made:
        out = Path(made) / "extension.js"
        esbuild = PAGE / "node_modules" / "esbuild" / "bin" / "esbuild"
        bundle = ("--bundle", "--minify", "--platform=node", "--target=node20", "--format=cjs")
        options = (*bundle, "--external:vscode", "--log-level=warning", "--charset=utf8")
        subprocess.run(
            [esbuild, SOURCES / "extension.js", *options, f"--outfile={out}"],
            check=True,
            env={"NODE_PATH": str(PAGE / "node_modules"), "PATH": f"{ROOT / '.venv' / 'bin'}"},
        )
        return out.read_bytes()


def _manifest(package: dict[str, Any]) -> str:
    identity = " ".join(
        f"{name}={quoteattr(value)}"
        for name, value in (
            ("Id", package["name"]),
            ("Version", package["version"]),
            ("Publisher", package["publisher"]),
        )
    )
    return f"""\
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" {identity}/>
<DisplayName>{escape(package["displayName"])}</DisplayName>
<Description xml:space="preserve">{escape(package["description"])}</Description>
<Categories>Programming Languages</Categories>
<License>extension/LICENSE.txt</License>
<Properties>
<Property Id="Microsoft.VisualStudio.Code.Engine" Value={quoteattr(package["engines"]["vscode"])}/>
</Properties>
</Metadata>
<Installation>
<InstallationTarget Id="Microsoft.VisualStudio.Code"/>
</Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt"/>
</Assets>
</PackageManifest>
"""
