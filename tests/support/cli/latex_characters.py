"""The non-ASCII characters that LaTeX output may contain."""

# LaTeX with inputenc, as it is by default since 2018, knows these of its own.
KNOWN = set("–—’‘“”…äöüéèß½§°é")
