"""How Sphinx builds the site; `make docs` puts the pages together first (`docs/site_builder`)."""

from pckv import __version__

project = "pckv"
author = "the pckv contributors"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
exclude_patterns = ["README.md"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
# Pictures with a width; what Markdown readers elsewhere do not know stays out of the pages.
myst_enable_extensions = ["html_image"]

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_member_order = "bysource"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
# Docstrings quote code as Markdown does.
default_role = "code"
python_display_short_literal_types = True
add_module_names = False

# Blocks without a language are commands and what they print.
highlight_language = "none"
# Two hyphens are the beginning of an option.
smartquotes = False

html_theme = "furo"
html_title = "pckv"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "sidebar_hide_name": False,
    "light_css_variables": {"color-brand-primary": "#0b5fa5", "color-brand-content": "#0b5fa5"},
    "dark_css_variables": {"color-brand-primary": "#7ab8ef", "color-brand-content": "#7ab8ef"},
}
