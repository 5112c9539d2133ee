"""Two runs and their judgments: one in the order of relevance, one reversed."""

DOCUMENTS = [f"d{number:02}" for number in range(12)]

QRELS = {"1": dict.fromkeys(DOCUMENTS[:4], 1), "2": dict.fromkeys(DOCUMENTS[2:5], 1)}

GOOD = {topic: {document: -float(place) for place, document in enumerate(DOCUMENTS)} for topic in QRELS}

BAD = {topic: {document: float(place) for place, document in enumerate(DOCUMENTS)} for topic in QRELS}

RUNS = {"good": GOOD, "bad": BAD}
