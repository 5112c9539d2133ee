"""Effectiveness measures: each one small declared class; everything else is derived from the catalogue."""

from typing import TYPE_CHECKING

from cranfield._lazy_imports import Later

from ._base import MEASURES as MEASURES
from ._base import Binary as Binary
from ._base import Browsing as Browsing
from ._base import Cascade as Cascade
from ._base import Discounted as Discounted
from ._base import Measure as Measure
from ._base import Reader as Reader
from ._base import measure as measure
from ._base import ratio as ratio
from ._blended import EBR as EBR
from ._blended import NCU as NCU
from ._blended import O as O
from ._blended import PMeasure as PMeasure
from ._blended import PPlus as PPlus
from ._blended import Q as Q
from ._bounds import Scenario as Scenario
from ._bounds import bounds as bounds
from ._bounds import map_scenario as map_scenario
from ._bounds import scenario as scenario
from ._cascade import ERR as ERR
from ._cascade import ESL as ESL
from ._cascade import IRBU as IRBU
from ._cascade import NERR as NERR
from ._cascade import RR as RR
from ._claims import AXIOMS as AXIOMS
from ._claims import CONDENSED as CONDENSED
from ._claims import Claim as Claim
from ._claims import Counterexample as Counterexample
from ._claims import Example as Example
from ._clicked import RRCCM as RRCCM
from ._clicked import RRDBN as RRDBN
from ._clicked import RRDCM as RRDCM
from ._clicked import RRSDBN as RRSDBN
from ._clicked import UCCM as UCCM
from ._clicked import UDBN as UDBN
from ._clicked import UDCM as UDCM
from ._clicked import UPBM as UPBM
from ._clicked import USDBN as USDBN
from ._clicked import UUBM as UUBM
from ._compatibility import Compat as Compat
from ._counts import Judged as Judged
from ._counts import NumNonRel as NumNonRel
from ._counts import NumQ as NumQ
from ._counts import NumRel as NumRel
from ._counts import NumRet as NumRet
from ._counts import Unjudged as Unjudged
from ._cumulated import CG as CG
from ._cumulated import GP as GP
from ._cumulated import GR as GR
from ._cumulated import NCG as NCG
from ._cumulated import RNDCG as RNDCG
from ._cumulated import BinG as BinG
from ._cumulated import G as G
from ._cumulated import NDCGRel as NDCGRel
from ._curves import CURVES as CURVES
from ._curves import precision_recall as precision_recall
from ._derived import Derived as Derived
from ._discounted import DCG as DCG
from ._discounted import NDCG as NDCG
from ._discounted import RBP as RBP
from ._discounted import P as P
from ._given import CWL as CWL
from ._goals import BPM as BPM
from ._goals import IFT as IFT
from ._incomplete import Bpref as Bpref
from ._incomplete import GMBpref as GMBpref
from ._incomplete import InfAP as InfAP
from ._interpolated import AUPRC as AUPRC
from ._interpolated import IAP as IAP
from ._interpolated import IPrec as IPrec
from ._interval import RBTO as RBTO
from ._interval import SBTO as SBTO
from ._interval import exact_order as exact_order
from ._interval import pairs_lost as pairs_lost
from ._levels import at_levels as at_levels
from ._levels import has_level as has_level
from ._mapped import Interval as Interval
from ._mapped import maximin as maximin
from ._mapped import scores as scores
from ._markov import MP as MP
from ._parse import parse_measure as parse_measure
from ._parse import parse_measures as parse_measures
from ._peers import PEERS as PEERS
from ._peers import Peer as Peer
from ._peers import peer as peer
from ._reading import INSQ as INSQ
from ._reading import INST as INST
from ._reading import NERR8 as NERR8
from ._reading import NERR9 as NERR9
from ._reading import NERR10 as NERR10
from ._reading import NERR11 as NERR11
from ._reading import SDCG as SDCG
from ._recall import AP as AP
from ._recall import GMAP as GMAP
from ._recall import E as E
from ._recall import F as F
from ._recall import R as R
from ._recall import Rprec as Rprec
from ._recall import Success as Success
from ._relative import NRG as NRG
from ._relative import RareP as RareP
from ._relative import Relative as Relative
from ._relative import TaSC as TaSC
from ._relative import Unique as Unique
from ._relative import rareness_across as rareness_across
from ._relative import seen_out as seen_out
from ._sampled import InfNDCG as InfNDCG
from ._sampled import XInfAP as XInfAP
from ._sets import Accuracy as Accuracy
from ._sets import SetAP as SetAP
from ._sets import SetF as SetF
from ._sets import SetP as SetP
from ._sets import SetR as SetR
from ._sets import Utility as Utility
from ._thresholds import GAP as GAP
from ._ties import cut_ties as cut_ties
from ._ties import expected as expected
from ._ties import say_straddling as say_straddling
from ._ties import straddling as straddling
from ._ties import tie_bounds as tie_bounds
from ._ties import tie_notes as tie_notes
from ._time import TBG as TBG
from ._time import Timed as Timed
from ._time import U as U
from ._trec import OFFICIAL as OFFICIAL
from ._trec import names_the_run as names_the_run
from ._trec import trec_eval_text as trec_eval_text
from ._values import DEFAULT as DEFAULT
from ._values import as_named as as_named
from ._values import measure_all as measure_all

if TYPE_CHECKING:
    from ._answer_base import ANSWER_MEASURES as ANSWER_MEASURES
    from ._answer_base import AnswerExample as AnswerExample
    from ._answer_base import AnswerMeasure as AnswerMeasure
    from ._answer_base import answer_measure as answer_measure
    from ._answer_base import parse_answer_measure as parse_answer_measure
    from ._answer_lengths import AnswerLength as AnswerLength
    from ._answer_lengths import NuggetF as NuggetF
    from ._answer_lengths import NuggetPrecision as NuggetPrecision
    from ._answer_support import support_table as support_table
    from ._answer_values import answer_values as answer_values
    from ._answer_values import parse_answer_measures as parse_answer_measures
    from ._answer_values import usual_answer_measures as usual_answer_measures
    from ._aspects import CAM as CAM
    from ._aspects import CRBP as CRBP
    from ._aspects import MM as MM
    from ._aspects import URBP as URBP
    from ._aspects import UBpref as UBpref
    from ._calibrate import calibrate_cwl as calibrate_cwl
    from ._calibrate import calibrate_cwl_from_clicks as calibrate_cwl_from_clicks
    from ._calibrate import calibrate_each as calibrate_each
    from ._calibrate import calibrate_err as calibrate_err
    from ._calibrate import calibrate_mp as calibrate_mp
    from ._calibrate import calibrate_rbp as calibrate_rbp
    from ._calibrate import calibrate_tbg as calibrate_tbg
    from ._choose import Step as Step
    from ._choose import choose as choose
    from ._choose import choose_pool as choose_pool
    from ._choose import found_by as found_by
    from ._choose import rank_by_value as rank_by_value
    from ._citations import CitationPrecision as CitationPrecision
    from ._citations import CitationRecall as CitationRecall
    from ._diversity import DNDCG as DNDCG
    from ._diversity import NNRBP as NNRBP
    from ._diversity import NRBP as NRBP
    from ._diversity import PIA as PIA
    from ._diversity import AlphaDCG as AlphaDCG
    from ._diversity import AlphaNDCG as AlphaNDCG
    from ._diversity import ApIA as ApIA
    from ._diversity import DSharpNDCG as DSharpNDCG
    from ._diversity import ErrIA as ErrIA
    from ._diversity import NdcgIA as NdcgIA
    from ._diversity import NErrIA as NErrIA
    from ._diversity import StRecall as StRecall
    from ._dominance import Dominance as Dominance
    from ._dominance import dominate as dominate
    from ._dominance import first_ranks as first_ranks
    from ._duplicates import FIRST as FIRST
    from ._duplicates import check_overlap as check_overlap
    from ._duplicates import duplicates_sentence as duplicates_sentence
    from ._duplicates import duplicates_table as duplicates_table
    from ._duplicates import may_overlap as may_overlap
    from ._explain import by_family as by_family
    from ._explain import catalogue as catalogue
    from ._explain import explain as explain
    from ._explain import explained as explained
    from ._explain import first_use as first_use
    from ._explain import other_facts as other_facts
    from ._explain import others as others
    from ._explain import shown_example as shown_example
    from ._explain import theirs_of as theirs_of
    from ._explain import worked as worked
    from ._fairness import AWRF as AWRF
    from ._fairness import DisparateImpact as DisparateImpact
    from ._fairness import DisparateTreatment as DisparateTreatment
    from ._fairness import ExposureDisparity as ExposureDisparity
    from ._fairness import ExposureLoss as ExposureLoss
    from ._fairness import ExposureRelevance as ExposureRelevance
    from ._fairness import PairParity as PairParity
    from ._first import cutoff_of as cutoff_of
    from ._first import found_first as found_first
    from ._first import unjudged_share as unjudged_share
    from ._first import unjudged_within as unjudged_within
    from ._fitting import Calibrated as Calibrated
    from ._fitting import Estimate as Estimate
    from ._intents import IntentAware as IntentAware
    from ._nuggets import NuggetAll as NuggetAll
    from ._nuggets import NuggetVital as NuggetVital
    from ._nuggets import NuggetWeighted as NuggetWeighted
    from ._other import OTHERS as OTHERS
    from ._other import kind_of as kind_of
    from ._other import parse_named as parse_named
    from ._other_base import OtherMeasure as OtherMeasure
    from ._overlap import Overlap as Overlap
    from ._overlap import overlap_by_topic as overlap_by_topic
    from ._overlap import rbo as rbo
    from ._parity import FAIR as FAIR
    from ._parity import RKL as RKL
    from ._parity import RND as RND
    from ._parity import RRD as RRD
    from ._preferred import PREFERENCES as PREFERENCES
    from ._preferred import PreferenceMeasure as PreferenceMeasure
    from ._preferred import PrefGroup as PrefGroup
    from ._preferred import PrefPair as PrefPair
    from ._preferred import PrefSimp as PrefSimp
    from ._preferred import parse_preference_measure as parse_preference_measure
    from ._preferred import preference_measure as preference_measure
    from ._preferred import preference_values as preference_values
    from ._rankings import Rankings as Rankings
    from ._rankings import Spacing as Spacing
    from ._rankings import spacing as spacing
    from ._recall_levels import RecallLevels as RecallLevels
    from ._recall_levels import compare_levels as compare_levels
    from ._series import equity_table as equity_table
    from ._series import fold_series as fold_series
    from ._sessions import SESSION_MEASURES as SESSION_MEASURES
    from ._sessions import MarkovSession as MarkovSession
    from ._sessions import SessionDCG as SessionDCG
    from ._sessions import SessionMeasure as SessionMeasure
    from ._sessions import SessionRBP as SessionRBP
    from ._sessions import parse_session_measure as parse_session_measure
    from ._sessions import session_values as session_values
    from ._tied_overlap import TIED as TIED
    from ._tied_overlap import TiedOverlap as TiedOverlap
    from ._union import tau_union as tau_union
    from ._union import union_by_topic as union_by_topic
    from ._users import user_model as user_model
else:
    # What no evaluation needs.
    __getattr__ = Later(
        __name__,
        {
            "_aspects": "CAM CRBP MM URBP UBpref",
            "_diversity": "DNDCG NNRBP NRBP PIA AlphaDCG AlphaNDCG ApIA DSharpNDCG ErrIA NdcgIA NErrIA StRecall",
            "_fairness": "AWRF DisparateImpact DisparateTreatment ExposureDisparity ExposureLoss ExposureRelevance "
            "PairParity",
            "_intents": "IntentAware",
            "_parity": "FAIR RKL RND RRD",
            "_calibrate": "calibrate_cwl calibrate_cwl_from_clicks calibrate_each calibrate_err calibrate_mp "
            "calibrate_rbp calibrate_tbg",
            "_choose": "Step choose choose_pool found_by rank_by_value",
            "_dominance": "Dominance dominate first_ranks",
            "_duplicates": "FIRST check_overlap duplicates_sentence duplicates_table may_overlap",
            "_explain": "by_family catalogue explain explained first_use other_facts others shown_example theirs_of "
            "worked",
            "_first": "cutoff_of found_first unjudged_share unjudged_within",
            "_fitting": "Calibrated Estimate",
            "_answer_base": "ANSWER_MEASURES AnswerExample AnswerMeasure answer_measure parse_answer_measure",
            "_answer_lengths": "AnswerLength NuggetF NuggetPrecision",
            "_citations": "CitationPrecision CitationRecall",
            "_nuggets": "NuggetAll NuggetVital NuggetWeighted",
            "_other": "OTHERS kind_of parse_named",
            "_other_base": "OtherMeasure",
            "_answer_support": "support_table",
            "_answer_values": "answer_values parse_answer_measures usual_answer_measures",
            "_overlap": "Overlap overlap_by_topic rbo",
            "_preferred": "PREFERENCES PrefGroup PrefPair PrefSimp PreferenceMeasure parse_preference_measure "
            "preference_measure preference_values",
            "_rankings": "Rankings Spacing spacing",
            "_recall_levels": "RecallLevels compare_levels",
            "_series": "equity_table fold_series",
            "_sessions": "SESSION_MEASURES MarkovSession SessionDCG SessionMeasure SessionRBP parse_session_measure "
            "session_values",
            "_tied_overlap": "TIED TiedOverlap",
            "_union": "tau_union union_by_topic",
            "_users": "user_model",
        },
    )
