"""Do offline measures predict what live users do?"""
