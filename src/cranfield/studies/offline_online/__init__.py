"""How well do offline measures predict the behaviour of live users?"""
