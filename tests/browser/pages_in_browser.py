#!/usr/bin/env python3
"""Index and reports in a real browser: no error in the console, nothing wider than the window, no link into nothing.

Needs Chromium (Debian's package chromium). Pages are shown in a frame of a telephone's and of a notebook's width, and
measured after their scripts have run. Links to other hosts are not followed: the check needs no network.
"""

import argparse
import functools
import html.parser
import http.server
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

WIDTHS = (400, 1280)  # CSS pixels
SECONDS = 120  # of one page in the browser, on a busy machine

# The page under test in a frame, and what it measured as text that --dump-dom prints.
HARNESS = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">
<iframe id="page" src="{page}" style="width:{width}px;height:900px;border:0"></iframe><pre id="measured"></pre><script>
document.getElementById("page").addEventListener("load", () => {{
  const shown = document.getElementById("page").contentDocument;
  const root = shown.documentElement;
  let widest = "";
  for (const element of shown.body.querySelectorAll("*")) {{
    const box = element.getBoundingClientRect();
    if (Math.max(box.right, box.left + element.scrollWidth) > root.clientWidth + 1) {{
      let clipped = ["auto", "scroll", "hidden"].includes(shown.defaultView.getComputedStyle(element).overflowX);
      for (let outer = element.parentElement; outer; outer = outer.parentElement) {{
        clipped = clipped || (outer.getBoundingClientRect().right <= root.clientWidth + 1 &&
            ["auto", "scroll", "hidden"].includes(shown.defaultView.getComputedStyle(outer).overflowX));
      }}
      widest = clipped ? widest : element.tagName + "." + element.className + " " + element.textContent.trim().slice(0, 60);
    }}
  }}
  document.getElementById("measured").textContent =
      "measured " + root.scrollWidth + " of " + root.clientWidth + " " + shown.title.length + " " + widest;
}});
</script>
"""


class Links(html.parser.HTMLParser):
    """Targets of a page's links, pictures and scripts, and what it can be entered at."""

    def __init__(self):
        super().__init__()
        self.targets = []
        self.anchors = set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.targets.append(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


def links_of(page: pathlib.Path) -> Links:
    links = Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links


def broken_links(page: pathlib.Path) -> list[str]:
    """What the page links to and is not there."""
    broken = []
    for target in links_of(page).targets:
        parts = urllib.parse.urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        place = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
        if not place.exists():
            broken.append(f"{target}: there is no such file")
        elif parts.fragment and place.suffix == ".html":
            if urllib.parse.unquote(parts.fragment) not in links_of(place).anchors:
                broken.append(f"{target}: the page has no such place")
    return broken


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def end_headers(self):
        # Pages written within one second have one date, and the browser would show the one that it has.
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


def shown(chromium: str, profile: str, url: str, width: int) -> tuple[str, list[str]]:
    """The measured text, and the errors of the console."""
    call = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         f"--user-data-dir={profile}", f"--window-size={width + 40},960", "--virtual-time-budget=10000",
         "--enable-logging=stderr", "--log-level=0", "--dump-dom", url],
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    measured = re.search(r"measured (\d+) of (\d+) (\d+) ?([^<]*)", call.stdout)
    console = [line.split("CONSOLE", 1)[1] for line in call.stderr.splitlines() if "CONSOLE" in line]
    errors = [line for line in console if re.search(r"Uncaught|Failed to load|[Ee]rror", line)]
    if measured is None:
        return "", [*errors, f"the browser showed nothing (exit code {call.returncode}): {call.stderr[-300:]}"]
    return measured.group(0), errors


def judged(measured: str, width: int) -> list[str]:
    """What is wrong with a page of this width."""
    wide, window, title, widest = re.match(r"measured (\d+) of (\d+) (\d+) ?(.*)", measured, re.S).groups()
    found = []
    if int(wide) > int(window):
        found.append(f"at {width} pixels it is {wide} wide and scrolls sideways; the innermost that sticks out: {widest}")
    if int(title) == 0:
        found.append("it has no title")
    return found


def check_page(chromium: str, profile: str, root: pathlib.Path, page: pathlib.Path, address: str) -> list[str]:
    found = broken_links(page)
    for width in WIDTHS:
        harness = page.parent / f".{page.stem}_in_frame_{width}.html"
        harness.write_text(HARNESS.format(page=page.name, width=width), encoding="utf-8")
        try:
            measured, errors = shown(chromium, profile, f"{address}/{harness.relative_to(root).as_posix()}", width)
        finally:
            harness.unlink()
        found += errors
        found += judged(measured, width) if measured else []
    return found


def check_folder(root: pathlib.Path, chromium: str) -> int:
    """Checks every page below a folder. Returns the number of those with something wrong."""
    handler = functools.partial(QuietHandler, directory=str(root))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    # What is no page by itself is part of one: drawings that reports take in.
    pages = [page for page in sorted(root.rglob("*.html")) if page.read_bytes()[:9].lower() == b"<!doctype"]
    wrong = 0
    with tempfile.TemporaryDirectory() as profile:
        for page in pages:
            found = check_page(chromium, profile, root, page, address)
            wrong += bool(found)
            print(f"{page.relative_to(root)}: {'; '.join(found) if found else 'good'}")
    server.shutdown()
    server.server_close()
    print(f"{len(pages)} pages, {wrong} with something wrong")
    return wrong if pages else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path, help="the folder with index.html and the reports")
    parser.add_argument("--chromium", default="chromium", help="the browser's program (default: chromium)")
    arguments = parser.parse_args()
    if not arguments.directory.is_dir():
        print(f"{arguments.directory}: there is no such folder", file=sys.stderr)
        return 2
    return 1 if check_folder(arguments.directory.resolve(), arguments.chromium) else 0


if __name__ == "__main__":
    sys.exit(main())
