"""How the documentation is built: offline, any warning is an error, lists come from the code."""

import sys
from pathlib import Path

from cranfield.core import VERSION

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "cranfield"
author = "The cranfield authors"
copyright = f"2026, {author}"
release = version = VERSION

extensions = [
    "by_key",
    "from_code",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinxcontrib.bibtex",
    "wrapping",
]
exclude_patterns = ["_build", "_ext"]

myst_enable_extensions = ["deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "keys"
bibtex_reference_style = "label"

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

autodoc_member_order = "bysource"
maximum_signature_line_length = 88
autodoc_typehints = "none"  # from_code writes signatures as the source does
nitpicky = True
# Signatures name types of other packages and aliases of ours, which have no page; what a page itself refers to has one.
nitpick_ignore_regex = [("py:class", r"(?!cranfield\.).*")]

html_theme = "furo"
html_title = f"cranfield {VERSION}"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
