"""`python3 -m tools bench`: the speed of the engines, side by side, compared with the goals.

`command` reads the arguments and shows the results. `measuring` takes the measurements in turn and
calibrates them; the measurements are in `games`, `turns`, `state`, `startup`, `stages`,
`size` and `tables`.
"""
