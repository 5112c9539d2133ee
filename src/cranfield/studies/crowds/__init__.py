"""Which labels do many workers agree on?"""
