"""The picture of a board in the README, of the open task that ``cranfield demo --serve`` shows.

python docs/images/make_board.py http://127.0.0.1:8000 docs/images/board.png
"""

import io
import shutil
import sys

from PIL import Image
from playwright.sync_api import sync_playwright

WIDTH, ROWS = 1130, 7
COLOURS = 128  # enough for text and bars; a third of the bytes

if __name__ == "__main__":
    address, target = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        # Twice the pixels: the README shows it narrower than the page, on any screen.
        page = browser.new_page(viewport={"width": WIDTH, "height": 1200}, color_scheme="light", device_scale_factor=2)
        page.goto(f"{address}/tasks/ad-hoc-2025/")
        last = page.locator("table.data tbody tr").nth(ROWS - 1).bounding_box()
        assert last is not None, "the board has too few rows"
        shown = {"x": 0, "y": 0, "width": WIDTH, "height": last["y"] + last["height"] + 1}
        picture = Image.open(io.BytesIO(page.screenshot(clip=shown, full_page=True))).convert("RGB")
        browser.close()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
