"""Simulated campaigns and users: topics, judgments, runs, groups, dates and clicks, from one seed."""

from .campaign import MSMARCO as MSMARCO
from .campaign import TREC8 as TREC8
from .campaign import Campaign as Campaign
from .campaign_data import Entry as Entry
from .campaign_data import Judgments as Judgments
from .campaign_data import Made as Made
from .campaign_data import Ranking as Ranking
from .campaign_data import Written as Written
from .campaign_data import document_id as document_id
from .simulated_users import DBNUser as DBNUser
from .simulated_users import simulate_log as simulate_log
from .topic import SOURCES as SOURCES
