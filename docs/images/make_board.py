"""The picture of a board in the README, of the open task that ``cranfield demo --serve`` shows.

python docs/images/make_board.py http://127.0.0.1:8000 docs/images/board.png
"""

import io
import shutil
import sys

from PIL import Image
from playwright.sync_api import sync_playwright

COLOURS = 64  # enough for text and bars; a third of the bytes

if __name__ == "__main__":
    address, target = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 900}, color_scheme="light")
        page.goto(f"{address}/tasks/ad-hoc-2025/")
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        browser.close()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
