"""What people come for, walked in a real browser over a real server: participant, organiser, visitor, operator."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from math import log2
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.support.browser.served_site import Walk, faults_of, look_until, serving, upload

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from tests.support.browser.served_site import Served


def hand_in(page: Page, slug: str, name: str, text: str) -> None:
    """Submit a run; the page of one's runs follows, with the run on its way."""
    page.goto(f"/tasks/{slug}/submit/")
    page.get_by_label("File").set_input_files(upload(f"{name}.run", text))
    expect(page.locator("#problems .verdict")).to_contain_text(f"{name}.run can be submitted as it is")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator(".messages")).to_contain_text(f"{name} is received.")


def test_a_participant_mends_a_run_and_sees_it_ranked(browser: Browser, served: Served) -> None:
    good = served.files["ideal"]
    lines = good.splitlines()
    lines[1] = lines[0].replace(" 1 99 ", " 2 98 ")  # D01 a second time
    lines[2] = lines[2].replace(" 97 ", " NaN ")
    bad = "\n".join(lines) + "\n"
    walk = Walk(browser, served)
    walk.refusals.add(422)  # what a run with errors is answered with
    with walk as page:
        # The way in leads back to where one wanted to go.
        page.goto("/tasks/first-steps/")
        page.get_by_role("link", name="Submit a run").click()
        page.get_by_label("Account").fill("alice")
        page.get_by_label("Password").fill(served.password)
        page.get_by_role("button", name="Log in").click()
        expect(page).to_have_url(f"{served.url}/tasks/first-steps/submit/")
        expect(page.locator(".verdict")).to_contain_text("4 of 4 submissions left in 30 days")
        # Choosing the file has it looked at, before anything is submitted.
        page.get_by_label("File").set_input_files(upload("mine.run", bad))
        problems = page.locator("#problems tbody tr")
        expect(problems).to_have_count(2)
        expect(problems.nth(0)).to_contain_text("E-DUPDOC")
        expect(problems.nth(0).locator("[data-label=Line]")).to_have_text("2")
        expect(problems.nth(1)).to_contain_text("E-FINITE")
        expect(problems.nth(1).locator("[data-label=Line]")).to_have_text("3")
        assert faults_of(page) == []
        # Submitting it all the same: the same answer, nothing taken.
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("Nothing was taken, and nothing counts against your limit.")
        expect(problems).to_have_count(2)
        page.get_by_label("File").set_input_files(upload("mine.run", good))
        expect(page.locator("#problems .verdict")).to_contain_text("mine.run can be submitted as it is")
        page.get_by_role("button", name="Check only").click()
        expect(page.locator("#problems .verdict")).to_contain_text("A check uses no submission")
        expect(page.locator("main > .verdict")).to_contain_text("4 of 4 submissions left")
        # Nobody can fill in a file again: it is chosen once more, and submitted.
        hand_in(page, "first-steps", "mine", good)
        expect(page.locator(".messages")).to_contain_text("3 more submissions are left in these 30 days.")
        row = page.locator("tr", has=page.get_by_role("rowheader", name="mine"))
        expect(row.get_by_role("status")).to_have_text("evaluated")  # asked for again by htmx until it is
        expect(row.locator("[data-label=Value]")).to_contain_text("1.0000")  # the ideal order
        assert faults_of(page) == []
        page.goto("/tasks/first-steps/")
        look_until(page, page.get_by_role("link", name="mine", exact=True))
        expect(page.locator("tr", has_text="mine").locator("[data-label=Rank]")).to_contain_text("1 (")
        page.get_by_role("link", name="mine", exact=True).click()
        expect(page.locator("h1")).to_have_text("mine")
        expect(page.locator(".verdict")).to_contain_text("Rank 1 ")
        assert faults_of(page) == []
        # Another one, taken back: it leaves the board, and still counts.
        hand_in(page, "first-steps", "other", served.files["fair"])
        page.get_by_role("link", name="Withdraw other").click()
        page.get_by_role("button", name="Withdraw it").click()
        expect(page.locator(".messages")).to_contain_text("other is withdrawn.")
        gone = page.locator("tr", has=page.get_by_role("rowheader", name="other"))
        expect(gone.get_by_role("status")).to_have_text("withdrawn")
        page.goto("/tasks/first-steps/submit/")
        expect(page.locator(".verdict")).to_contain_text("2 of 4 submissions left")


def test_a_token_made_on_the_page_serves_the_command_line(browser: Browser, served: Served, tmp_path: Path) -> None:
    with Walk(browser, served, "beth") as page:
        page.locator(".menu summary").click()
        page.get_by_role("link", name="Tokens for programs").click()
        page.get_by_label("What is it for").fill("laptop")
        page.get_by_role("button", name="Make a token").click()
        token = page.locator("#token").inner_text().strip()
        expect(page.locator(".card")).to_contain_text(f"cranfield submit {served.url}/tasks/TASK RUN")
        run = tmp_path / "typed.run"
        run.write_text(served.files["fair"])
        typed = ["submit", f"{served.url}/tasks/first-steps/", str(run), "--wait"]
        told = subprocess.run(
            [sys.executable, "-c", "from cranfield.cli import main; main()", *typed],
            env=os.environ | {"CRANFIELD_TOKEN": token},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert told.returncode == 0, told.stderr
        assert told.stdout.startswith("typed: evaluated\n")
        page.goto("/my/runs/")
        row = page.locator("tr", has=page.get_by_role("rowheader", name="typed"))
        expect(row.get_by_role("status")).to_have_text("evaluated")
        page.goto("/my/tokens/")
        expect(page.locator("tr", has_text="laptop").locator("[data-label='Last used'] time")).to_be_visible()


def test_an_organiser_makes_a_task_changes_a_label_and_closes_it(browser: Browser, served: Served) -> None:
    with Walk(browser, served, "organiser") as page, Walk(browser, served, "beth") as beth:
        page.goto("/organise/")
        page.get_by_role("link", name="New task").first.click()
        page.get_by_label("Judgments", exact=True).set_input_files(upload("qrels.txt", served.files["qrels"]))
        preview = page.locator("#preview")
        expect(preview).to_contain_text("96 judgments on 12 topics: ready.")  # 8 of each
        page.get_by_label("Topics (optional)", exact=True).set_input_files(upload("topics.tsv", served.files["topics"]))
        page.get_by_label("Title").fill("Made in a browser")
        page.get_by_label("Private topics, in percent").fill("50")
        page.get_by_label("Private topics, in percent").blur()
        expect(preview).to_contain_text("6 public topics; 6 private until it is closed")
        expect(preview).to_contain_text("/tasks/made-in-a-browser/")
        assert faults_of(page) == []
        page.get_by_role("button", name="Publish").click()
        expect(page.locator(".messages")).to_contain_text("Made in a browser is published")
        # A team joins and hands in two runs.
        beth.goto("/tasks/made-in-a-browser/")
        beth.get_by_role("link", name="Submit a run").click()
        beth.get_by_role("button", name="Take part").click()
        expect(beth.locator(".messages")).to_contain_text("Beta takes part in Made in a browser.")
        for name in ("ideal", "good"):
            hand_in(beth, "made-in-a-browser", name, served.files[name])
        look_until(page, page.locator("#counts + dl").get_by_role("link", name="2", exact=True))
        page.goto("/tasks/made-in-a-browser/history/")
        look_until(page, page.locator("tr", has_text="Board").locator("[data-label=Runs]", has_text="2"))
        page.get_by_role("rowheader", name="Board ").get_by_role("link").first.click()
        permalink = page.url
        before = page.request.get(permalink).body()
        assert b"version 1" in before
        # One judgment of topic 302 is lowered: there D01 had grade 2 and D02 has grade 1, so that the run in ideal
        # order finds the only relevant document at rank 2, and nDCG is 1 / log2(3) in one of 12 topics.
        page.goto("/organise/made-in-a-browser/labels/")
        for label, text in (("Topic", "302"), ("Document", "D01"), ("Grade", "0")):
            page.get_by_label(label, exact=True).fill(text)
        page.get_by_role("button", name="Make the next version").click()
        expect(page.locator(".messages")).to_contain_text("Version 2 of the labels is in")
        expect(page.locator("#changes")).to_contain_text("0 raised, 1 lowered, 95 as before")
        moved = page.locator("[aria-label='Runs before and after'] tr", has_text="ideal")
        expect(moved).to_contain_text("1.0000")
        expect(moved).to_contain_text(f"{(11 + 1 / log2(3)) / 12:.4f}")
        expect(page.locator("figure.picture img")).to_have_js_property("complete", True)
        assert faults_of(page) == []
        page.goto("/tasks/made-in-a-browser/")
        look_until(page, page.get_by_text("Labels: version 2"))
        assert page.request.get(permalink).body() == before
        # Closed: what was private ranks, and is shown beside what was public.
        page.goto("/organise/made-in-a-browser/")
        page.get_by_role("link", name="Close the task").click()
        page.get_by_label("Write made-in-a-browser to confirm").fill("made-in-a-browser")
        page.get_by_role("button", name="Close the task").click()
        expect(page.locator(".messages")).to_contain_text("Made in a browser is closed.")
        beth.goto("/tasks/made-in-a-browser/")
        look_until(beth, beth.get_by_text("Ranked by 6 private topics"))
        beth.get_by_role("link", name="Private", exact=True).click()
        expect(beth.locator("h2", has_text="Public and private topics")).to_be_visible()
        assert beth.request.get(permalink).body() == before


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_visitor_sorts_and_filters(browser: Browser, served: Served, *, script: bool) -> None:
    with Walk(browser, served, java_script_enabled=script) as page:
        page.goto("/")
        page.get_by_role("link", name="Ad hoc search", exact=True).click()
        names = page.locator(".board .who a")
        expect(names).to_have_count(4)
        expect(names.first).to_have_text("ideal")
        column = page.get_by_role("columnheader", name="Run and team")
        column.get_by_role("link").click()
        expect(column).to_have_attribute("aria-sort", "ascending")
        expect(names).to_have_text(["fair", "good", "ideal", "poor"])
        expect(page).to_have_url(re.compile(r"[?&]sort="))
        page.get_by_label("Run or team").fill("Beta")
        page.get_by_role("button", name="Show").click()
        expect(names).to_have_text(["good", "poor"])
        expect(page).to_have_url(re.compile(r"[?&]q=Beta"))
        page.go_back()
        expect(names).to_have_text(["fair", "good", "ideal", "poor"])
        page.go_back()
        expect(names.first).to_have_text("ideal")
        page.get_by_label("Run or team").fill("nobody has this")
        page.get_by_role("button", name="Show").click()
        expect(page.get_by_text("No run is like that.")).to_be_visible()
        page.get_by_role("link", name="Show all runs").click()
        expect(names).to_have_count(4)


def test_a_visitor_reads_everything_about_a_task(browser: Browser, served: Served) -> None:
    with Walk(browser, served) as page:
        page.goto("/tasks/over/")
        for name, heading in (
            ("About", "Ad hoc search, the year before"),
            ("Methods", "How Ad hoc search, the year before is ranked"),
            ("History", "History of Ad hoc search, the year before"),
            ("Downloads", "Downloads of Ad hoc search, the year before"),
        ):
            page.get_by_role("navigation", name="Task").get_by_role("link", name=name).click()
            expect(page.locator("h1")).to_contain_text(heading)
        with page.expect_download() as begun:
            page.get_by_role("link", name="as CSV").click()
        rows = begun.value.path().read_text().splitlines()
        assert len(rows) == 5  # a head and four runs
        # A board for good, with all its panels and their pictures.
        page.get_by_role("link", name="history", exact=True).click()
        page.get_by_role("rowheader", name="Board ").get_by_role("link").first.click()
        expect(page.get_by_text("This page never changes: cite it.")).to_be_visible()
        panels = page.get_by_role("navigation", name="Panels of the board").get_by_role("link")
        titles = [one for one in panels.all_inner_texts() if one != "Board"]
        assert titles == "Over time,Stability,Differences,Answers,Novelty,Topics,Private,Shake-up,Pool".split(",")
        for title in titles:
            panels.filter(has_text=title).click()
            expect(panels.filter(has_text=title)).to_have_attribute("aria-current", "page")
            picture = page.locator("figure img")
            picture.evaluate("(image) => image.decode()")  # raises where it cannot be drawn
            assert picture.evaluate("(image) => image.naturalWidth") > 100
            assert page.locator("table.data tbody tr").count() > 0


def test_a_visitor_compares_runs_and_opens_a_topic(browser: Browser, served: Served) -> None:
    with Walk(browser, served) as page:
        page.goto("/tasks/looked-at/")
        for name in ("ideal", "poor"):
            page.get_by_label(f"Compare {name}").check()
        page.get_by_role("button", name="Compare the ticked runs").click()
        expect(page.locator(".verdict")).to_contain_text("ideal")
        for picture in page.locator("main img").all():
            assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 100
        assert page.locator("main table.data tbody tr").count() > 0
        page.goto("/tasks/looked-at/")
        page.get_by_role("link", name="good", exact=True).click()
        expect(page.locator("h1")).to_have_text("good")
        page.get_by_text("topics, the worst first").click()
        page.get_by_role("rowheader").get_by_role("link", name="301").click()
        expect(page.locator("h1")).to_contain_text("Topic 301")
        expect(page.locator("tbody tr")).to_have_count(4)
        page.get_by_role("link", name="302").click()
        expect(page.locator("h1")).to_contain_text("Topic 302")


def test_an_operator_comes_first_and_invites_others(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path, filled=False) as empty:
        with Walk(browser, empty) as page:
            page.goto(empty.link)
            _make_account(page, "olga")
            expect(page.locator(".menu summary")).to_have_text("olga")
            page.get_by_role("link", name="Operate").click()
            expect(page.locator("main")).to_contain_text("Workers")
            assert faults_of(page) == []
            page.get_by_role("link", name="Users").click()
            page.get_by_label("Note").fill("for Pat")
            page.get_by_role("button", name="Make a link").click()
            said = page.locator(".message").inner_text()
            [link] = re.findall(r"http\S+", said)
            assert link.startswith(f"{empty.url}/join/")
        with Walk(browser, empty) as page:
            page.goto(link)
            expect(page.locator("main")).to_contain_text("olga invites you.")
            assert faults_of(page) == []
            _make_account(page, "pat")
            expect(page.locator(".menu summary")).to_have_text("pat")
            expect(page.get_by_role("link", name="Operate")).to_have_count(0)
        again = Walk(browser, empty)
        again.refusals.add(404)
        with again as page:
            page.goto(link)
            expect(page.locator("h1")).to_have_text("This link is not good")


def _make_account(page: Page, name: str) -> None:
    page.get_by_label("Account", exact=True).fill(name)
    for box in page.locator("input[type=password]").all():
        box.fill("a long enough pass phrase")
    page.get_by_role("button", name="Make the account").click()
