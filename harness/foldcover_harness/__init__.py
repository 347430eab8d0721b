"""The thin host around the core: readers of transcripts, replay, the command line. No decision of the rule
is made here.
"""
