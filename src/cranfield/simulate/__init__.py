"""A made-up campaign that looks like a real one: topics, judgments, runs, groups and dates, from one seed."""

from ._campaign import MSMARCO as MSMARCO
from ._campaign import TREC8 as TREC8
from ._campaign import Campaign as Campaign
from ._made import Entry as Entry
from ._made import Judgments as Judgments
from ._made import Made as Made
from ._made import Ranking as Ranking
from ._made import Written as Written
from ._made import document_id as document_id
from ._topic import SOURCES as SOURCES
from ._users import DBNUser as DBNUser
from ._users import simulate_log as simulate_log
