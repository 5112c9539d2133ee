"""Effectiveness measures, each declared as one small class in a catalogue."""

from typing import TYPE_CHECKING

from cranfield._lazy_imports import Later

from .base import MEASURES as MEASURES
from .base import Binary as Binary
from .base import Browsing as Browsing
from .base import Cascade as Cascade
from .base import Discounted as Discounted
from .base import Measure as Measure
from .base import Reader as Reader
from .base import measure as measure
from .base import ratio as ratio
from .classic.cascade import ERR as ERR
from .classic.cascade import ESL as ESL
from .classic.cascade import IRBU as IRBU
from .classic.cascade import NERR as NERR
from .classic.cascade import RR as RR
from .classic.compatibility import Compat as Compat
from .classic.counts import Judged as Judged
from .classic.counts import NumNonRel as NumNonRel
from .classic.counts import NumQ as NumQ
from .classic.counts import NumRel as NumRel
from .classic.counts import NumRet as NumRet
from .classic.counts import Unjudged as Unjudged
from .classic.cumulated_gain import CG as CG
from .classic.cumulated_gain import GP as GP
from .classic.cumulated_gain import GR as GR
from .classic.cumulated_gain import NCG as NCG
from .classic.cumulated_gain import RNDCG as RNDCG
from .classic.cumulated_gain import BinG as BinG
from .classic.cumulated_gain import G as G
from .classic.cumulated_gain import NDCGRel as NDCGRel
from .classic.discounted import DCG as DCG
from .classic.discounted import NDCG as NDCG
from .classic.discounted import RBP as RBP
from .classic.discounted import P as P
from .classic.grade_thresholds import GAP as GAP
from .classic.incomplete_judgments import Bpref as Bpref
from .classic.incomplete_judgments import GMBpref as GMBpref
from .classic.incomplete_judgments import InfAP as InfAP
from .classic.interpolated_precision import AUPRC as AUPRC
from .classic.interpolated_precision import IAP as IAP
from .classic.interpolated_precision import IPrec as IPrec
from .classic.ntcir import EBR as EBR
from .classic.ntcir import NCU as NCU
from .classic.ntcir import O as O
from .classic.ntcir import PMeasure as PMeasure
from .classic.ntcir import PPlus as PPlus
from .classic.ntcir import Q as Q
from .classic.precision_recall_curve import CURVES as CURVES
from .classic.precision_recall_curve import precision_recall as precision_recall
from .classic.recall_based import AP as AP
from .classic.recall_based import GMAP as GMAP
from .classic.recall_based import E as E
from .classic.recall_based import F as F
from .classic.recall_based import R as R
from .classic.recall_based import Rprec as Rprec
from .classic.recall_based import Success as Success
from .classic.sampled_pools import InfNDCG as InfNDCG
from .classic.sampled_pools import XInfAP as XInfAP
from .classic.set_based import Accuracy as Accuracy
from .classic.set_based import SetAP as SetAP
from .classic.set_based import SetF as SetF
from .classic.set_based import SetP as SetP
from .classic.set_based import SetR as SetR
from .classic.set_based import Utility as Utility
from .classic.trec_eval_measures import IdealDCG as IdealDCG
from .classic.trec_eval_measures import RBPResidual as RBPResidual
from .classic.trec_eval_measures import YaAP as YaAP
from .declared_properties import AXIOMS as AXIOMS
from .declared_properties import CONDENSED as CONDENSED
from .declared_properties import Claim as Claim
from .declared_properties import Counterexample as Counterexample
from .declared_properties import Example as Example
from .derived_measures import Derived as Derived
from .evaluation import DEFAULT as DEFAULT
from .evaluation import as_named as as_named
from .evaluation import measure_all as measure_all
from .notation.compat import PEERS as PEERS
from .notation.compat import Peer as Peer
from .notation.compat import peer as peer
from .notation.parsing import Written as Written
from .notation.parsing import parse_measure as parse_measure
from .notation.parsing import parse_measures as parse_measures
from .notation.parsing import parse_written as parse_written
from .notation.trec_eval_output import OFFICIAL as OFFICIAL
from .notation.trec_eval_output import Line as Line
from .notation.trec_eval_output import requested_lines as requested_lines
from .notation.trec_eval_output import trec_eval_text as trec_eval_text
from .novelty.relative_gain import NRG as NRG
from .novelty.relative_gain import RareP as RareP
from .novelty.relative_gain import Relative as Relative
from .novelty.relative_gain import TaSC as TaSC
from .novelty.relative_gain import Unique as Unique
from .novelty.relative_gain import rareness_across as rareness_across
from .novelty.relative_gain import seen_out as seen_out
from .relevance_levels import at_levels as at_levels
from .relevance_levels import has_level as has_level
from .scales.interval_measures import RBTO as RBTO
from .scales.interval_measures import SBTO as SBTO
from .scales.interval_measures import exact_order as exact_order
from .scales.interval_measures import pairs_lost as pairs_lost
from .scales.interval_transform import Interval as Interval
from .scales.interval_transform import maximin as maximin
from .scales.interval_transform import scores as scores
from .scales.unjudged_bounds import Scenario as Scenario
from .scales.unjudged_bounds import bounds as bounds
from .scales.unjudged_bounds import map_scenario as map_scenario
from .scales.unjudged_bounds import scenario as scenario
from .ties.tied_values import cut_ties as cut_ties
from .ties.tied_values import expected as expected
from .ties.tied_values import say_straddling as say_straddling
from .ties.tied_values import straddling as straddling
from .ties.tied_values import tie_bounds as tie_bounds
from .ties.tied_values import tie_notes as tie_notes
from .user_models.click_model_measures import RRCCM as RRCCM
from .user_models.click_model_measures import RRDBN as RRDBN
from .user_models.click_model_measures import RRDCM as RRDCM
from .user_models.click_model_measures import RRSDBN as RRSDBN
from .user_models.click_model_measures import UCCM as UCCM
from .user_models.click_model_measures import UDBN as UDBN
from .user_models.click_model_measures import UDCM as UDCM
from .user_models.click_model_measures import UPBM as UPBM
from .user_models.click_model_measures import USDBN as USDBN
from .user_models.click_model_measures import UUBM as UUBM
from .user_models.cwl_table import CWL as CWL
from .user_models.cwl_users import INSQ as INSQ
from .user_models.cwl_users import INST as INST
from .user_models.cwl_users import NERR8 as NERR8
from .user_models.cwl_users import NERR9 as NERR9
from .user_models.cwl_users import NERR10 as NERR10
from .user_models.cwl_users import NERR11 as NERR11
from .user_models.cwl_users import SDCG as SDCG
from .user_models.goal_users import BPM as BPM
from .user_models.goal_users import IFT as IFT
from .user_models.markov_precision import MP as MP
from .user_models.time_based import TBG as TBG
from .user_models.time_based import Timed as Timed
from .user_models.time_based import U as U

if TYPE_CHECKING:
    from .answers.base import ANSWER_MEASURES as ANSWER_MEASURES
    from .answers.base import AnswerExample as AnswerExample
    from .answers.base import AnswerMeasure as AnswerMeasure
    from .answers.base import answer_measure as answer_measure
    from .answers.base import parse_answer_measure as parse_answer_measure
    from .answers.citations import CitationPrecision as CitationPrecision
    from .answers.citations import CitationRecall as CitationRecall
    from .answers.evaluation import answer_values as answer_values
    from .answers.evaluation import parse_answer_measures as parse_answer_measures
    from .answers.evaluation import usual_answer_measures as usual_answer_measures
    from .answers.lengths import AnswerLength as AnswerLength
    from .answers.lengths import NuggetF as NuggetF
    from .answers.lengths import NuggetPrecision as NuggetPrecision
    from .answers.nugget_recall import NuggetAll as NuggetAll
    from .answers.nugget_recall import NuggetVital as NuggetVital
    from .answers.nugget_recall import NuggetWeighted as NuggetWeighted
    from .answers.support import support_table as support_table
    from .classic.first_relevant import cutoff_of as cutoff_of
    from .classic.first_relevant import found_first as found_first
    from .classic.first_relevant import unjudged_share as unjudged_share
    from .classic.first_relevant import unjudged_within as unjudged_within
    from .classic.multi_aspect import CAM as CAM
    from .classic.multi_aspect import CRBP as CRBP
    from .classic.multi_aspect import MM as MM
    from .classic.multi_aspect import URBP as URBP
    from .classic.multi_aspect import UBpref as UBpref
    from .diversity.subtopic_measures import DNDCG as DNDCG
    from .diversity.subtopic_measures import NNRBP as NNRBP
    from .diversity.subtopic_measures import NRBP as NRBP
    from .diversity.subtopic_measures import PIA as PIA
    from .diversity.subtopic_measures import AlphaDCG as AlphaDCG
    from .diversity.subtopic_measures import AlphaNDCG as AlphaNDCG
    from .diversity.subtopic_measures import ApIA as ApIA
    from .diversity.subtopic_measures import DSharpNDCG as DSharpNDCG
    from .diversity.subtopic_measures import ErrIA as ErrIA
    from .diversity.subtopic_measures import NdcgIA as NdcgIA
    from .diversity.subtopic_measures import NErrIA as NErrIA
    from .diversity.subtopic_measures import StRecall as StRecall
    from .diversity.topic_intents import IntentAware as IntentAware
    from .fairness.group_exposure import AWRF as AWRF
    from .fairness.group_exposure import DisparateImpact as DisparateImpact
    from .fairness.group_exposure import DisparateTreatment as DisparateTreatment
    from .fairness.group_exposure import ExposureDisparity as ExposureDisparity
    from .fairness.group_exposure import ExposureLoss as ExposureLoss
    from .fairness.group_exposure import ExposureRelevance as ExposureRelevance
    from .fairness.group_exposure import PairParity as PairParity
    from .fairness.prefix_parity import FAIR as FAIR
    from .fairness.prefix_parity import RKL as RKL
    from .fairness.prefix_parity import RND as RND
    from .fairness.prefix_parity import RRD as RRD
    from .notation.explanations import by_family as by_family
    from .notation.explanations import catalogue as catalogue
    from .notation.explanations import explain as explain
    from .notation.explanations import explained as explained
    from .notation.explanations import first_use as first_use
    from .notation.explanations import other_facts as other_facts
    from .notation.explanations import others as others
    from .notation.explanations import shown_example as shown_example
    from .notation.explanations import theirs_of as theirs_of
    from .notation.explanations import worked as worked
    from .novelty.run_selection import Step as Step
    from .novelty.run_selection import choose as choose
    from .novelty.run_selection import choose_pool as choose_pool
    from .novelty.run_selection import found_by as found_by
    from .novelty.run_selection import rank_by_value as rank_by_value
    from .other.base import OtherMeasure as OtherMeasure
    from .other.kinds import OTHERS as OTHERS
    from .other.kinds import kind_of as kind_of
    from .other.kinds import parse_named as parse_named
    from .other.preferences import PREFERENCES as PREFERENCES
    from .other.preferences import PreferenceMeasure as PreferenceMeasure
    from .other.preferences import PrefGroup as PrefGroup
    from .other.preferences import PrefPair as PrefPair
    from .other.preferences import PrefSimp as PrefSimp
    from .other.preferences import parse_preference_measure as parse_preference_measure
    from .other.preferences import preference_measure as preference_measure
    from .other.preferences import preference_values as preference_values
    from .other.ranking_series import equity_table as equity_table
    from .other.ranking_series import fold_series as fold_series
    from .other.sessions import SESSION_MEASURES as SESSION_MEASURES
    from .other.sessions import MarkovSession as MarkovSession
    from .other.sessions import SessionDCG as SessionDCG
    from .other.sessions import SessionMeasure as SessionMeasure
    from .other.sessions import SessionRBP as SessionRBP
    from .other.sessions import parse_session_measure as parse_session_measure
    from .other.sessions import session_values as session_values
    from .pairs.near_duplicates import FIRST as FIRST
    from .pairs.near_duplicates import check_overlap as check_overlap
    from .pairs.near_duplicates import duplicates_sentence as duplicates_sentence
    from .pairs.near_duplicates import duplicates_table as duplicates_table
    from .pairs.near_duplicates import may_overlap as may_overlap
    from .pairs.overlap_with_ties import TIED as TIED
    from .pairs.overlap_with_ties import TiedOverlap as TiedOverlap
    from .pairs.rank_dominance import Dominance as Dominance
    from .pairs.rank_dominance import dominate as dominate
    from .pairs.rank_dominance import first_ranks as first_ranks
    from .pairs.rank_overlap import Overlap as Overlap
    from .pairs.rank_overlap import overlap_by_topic as overlap_by_topic
    from .pairs.rank_overlap import rbo as rbo
    from .pairs.recall_levels import RecallLevels as RecallLevels
    from .pairs.recall_levels import compare_levels as compare_levels
    from .pairs.union_correlation import tau_union as tau_union
    from .pairs.union_correlation import union_by_topic as union_by_topic
    from .scales.all_rankings import Rankings as Rankings
    from .scales.all_rankings import Spacing as Spacing
    from .scales.all_rankings import spacing as spacing
    from .user_models.calibration import calibrate_cwl as calibrate_cwl
    from .user_models.calibration import calibrate_cwl_from_clicks as calibrate_cwl_from_clicks
    from .user_models.calibration import calibrate_each as calibrate_each
    from .user_models.calibration import calibrate_err as calibrate_err
    from .user_models.calibration import calibrate_mp as calibrate_mp
    from .user_models.calibration import calibrate_rbp as calibrate_rbp
    from .user_models.calibration import calibrate_tbg as calibrate_tbg
    from .user_models.fit_results import Calibrated as Calibrated
    from .user_models.fit_results import Estimate as Estimate
    from .user_models.user_behaviour import user_model as user_model
else:
    # What no evaluation needs.
    __getattr__ = Later(
        __name__,
        {
            "classic.multi_aspect": "CAM CRBP MM URBP UBpref",
            "diversity.subtopic_measures": "DNDCG NNRBP NRBP PIA AlphaDCG AlphaNDCG ApIA DSharpNDCG ErrIA NdcgIA "
            "NErrIA StRecall",
            "fairness.group_exposure": "AWRF DisparateImpact DisparateTreatment ExposureDisparity ExposureLoss "
            "ExposureRelevance PairParity",
            "diversity.topic_intents": "IntentAware",
            "fairness.prefix_parity": "FAIR RKL RND RRD",
            "user_models.calibration": "calibrate_cwl calibrate_cwl_from_clicks calibrate_each calibrate_err "
            "calibrate_mp calibrate_rbp calibrate_tbg",
            "novelty.run_selection": "Step choose choose_pool found_by rank_by_value",
            "pairs.rank_dominance": "Dominance dominate first_ranks",
            "pairs.near_duplicates": "FIRST check_overlap duplicates_sentence duplicates_table may_overlap",
            "notation.explanations": "by_family catalogue explain explained first_use other_facts others "
            "shown_example theirs_of worked",
            "classic.first_relevant": "cutoff_of found_first unjudged_share unjudged_within",
            "user_models.fit_results": "Calibrated Estimate",
            "answers.base": "ANSWER_MEASURES AnswerExample AnswerMeasure answer_measure parse_answer_measure",
            "answers.lengths": "AnswerLength NuggetF NuggetPrecision",
            "answers.citations": "CitationPrecision CitationRecall",
            "answers.nugget_recall": "NuggetAll NuggetVital NuggetWeighted",
            "other.kinds": "OTHERS kind_of parse_named",
            "other.base": "OtherMeasure",
            "answers.support": "support_table",
            "answers.evaluation": "answer_values parse_answer_measures usual_answer_measures",
            "pairs.rank_overlap": "Overlap overlap_by_topic rbo",
            "other.preferences": "PREFERENCES PrefGroup PrefPair PrefSimp PreferenceMeasure parse_preference_measure "
            "preference_measure preference_values",
            "scales.all_rankings": "Rankings Spacing spacing",
            "pairs.recall_levels": "RecallLevels compare_levels",
            "other.ranking_series": "equity_table fold_series",
            "other.sessions": "SESSION_MEASURES MarkovSession SessionDCG SessionMeasure SessionRBP "
            "parse_session_measure session_values",
            "pairs.overlap_with_ties": "TIED TiedOverlap",
            "pairs.union_correlation": "tau_union union_by_topic",
            "user_models.user_behaviour": "user_model",
        },
    )
