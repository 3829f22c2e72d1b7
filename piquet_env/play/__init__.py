"""A person plays against a bot in the terminal.

    game = Game.new("greedy", load_bot("greedy"), Rules(), "partie", human=0, seed=1)

`game` holds the truth and asks the bot; whatever is written for the person (`story`, `pages`, `choices`) is made from
the row as he knows it (`views.known_row`). Only the page of a deal that is over looks at both hands.
"""
