#!/usr/bin/env python3
"""What the check of pages in a browser must find in pages that are wrong, and that it finds nothing in a good one."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import pages_in_browser

HEAD = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body>{body}</body></html>'


class PagesInBrowserTest(unittest.TestCase):
    def said_of(self, body: str, title: str = "A page") -> str:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "page.html").write_text(HEAD.format(title=title, body=body), encoding="utf-8")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                pages_in_browser.check_folder(pathlib.Path(folder).resolve(), "chromium")
            return output.getvalue()

    def test_a_good_page_is_good(self):
        wide_but_scrolled = '<div style="overflow-x:auto"><div style="width:3000px">in a box of its own</div></div>'
        said = self.said_of(f'<h2 id="here">Good</h2><a href="#here">here</a>{wide_but_scrolled}')
        self.assertIn("page.html: good", said)

    def test_what_is_too_wide_is_named(self):
        said = self.said_of('<p style="width:700px">a wide paragraph</p>')
        self.assertIn("at 400 pixels it is", said)
        self.assertIn("a wide paragraph", said)
        self.assertNotIn("at 1280 pixels", said)

    def test_errors_of_scripts_are_told(self):
        self.assertIn("nothing_there is not defined", self.said_of("<script>nothing_there();</script>"))

    def test_links_into_nothing_are_told(self):
        said = self.said_of('<a href="gone.html">x</a><a href="#nowhere">y</a>')
        self.assertIn("gone.html: there is no such file", said)
        self.assertIn("#nowhere: the page has no such place", said)

    def test_a_page_without_a_title_is_told(self):
        self.assertIn("it has no title", self.said_of("<p>text</p>", title=""))

    def test_a_folder_without_pages_is_no_success(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(pages_in_browser.check_folder(pathlib.Path(folder).resolve(), "chromium"), 1)


if __name__ == "__main__":
    unittest.main()
