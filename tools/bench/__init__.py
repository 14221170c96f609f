"""`python3 -m tools bench`: how fast the engines are, side by side, and which goals are reached.

`command` reads the arguments and says what was found. `measuring` takes the measurements in turn
and calibrates them; what is measured is in `games`, `work`, `turns`, `state`, `startup`,
`stages` and `size`.
"""
