"""Which click model predicts the clicks of a log?"""
