"""Is a treatment better than the control?"""
