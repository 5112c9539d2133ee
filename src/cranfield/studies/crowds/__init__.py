"""What do many workers say together?"""
