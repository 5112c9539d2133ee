"""What the database keeps."""

from ._audit import Audit as Audit
from ._boards import Announcement as Announcement
from ._boards import Picture as Picture
from ._boards import Snapshot as Snapshot
from ._files import Blob as Blob
from ._jobs import Job as Job
from ._jobs import Worker as Worker
from ._judging import Event as Event
from ._judging import Judgment as Judgment
from ._judging import Pool as Pool
from ._judging import Question as Question
from ._judging import Turn as Turn
from ._people import Invite as Invite
from ._people import Membership as Membership
from ._people import Team as Team
from ._people import Token as Token
from ._people import Try as Try
from ._people import User as User
from ._submissions import Result as Result
from ._submissions import Submission as Submission
from ._tasks import LabelVersion as LabelVersion
from ._tasks import Participant as Participant
from ._tasks import Role as Role
from ._tasks import Task as Task
from ._webhooks import Delivery as Delivery
from ._webhooks import Webhook as Webhook
