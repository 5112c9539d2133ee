"""Would other topics have led to the same conclusion?"""
