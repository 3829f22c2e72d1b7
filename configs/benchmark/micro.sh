#!/usr/bin/env bash
# Learning curves of exact exploitability on `micro`: each algorithm, 5 seeds. A run that was stopped goes on.
# Takes an hour or so on one core; runs of several seeds can be started side by side.
#   configs/benchmark/micro.sh            all
#   configs/benchmark/micro.sh 3 dmc      one seed, one algorithm
set -euo pipefail
cd "$(dirname "$0")/../.."

for seed in ${1:-1 2 3 4 5}; do
  for algorithm in ${2:-ppo mmd dmc}; do
    out=runs/micro/$algorithm-$seed
    if [ -e "$out/results.json" ]; then continue; fi
    resume=()
    if [ -e "$out/checkpoint.pt" ]; then resume=(--resume); fi
    piquet train "configs/benchmark/micro-$algorithm.yaml" --seed "$seed" --out "$out" "${resume[@]}"
  done
done
# what is committed beside this file: micro.png and micro.json
piquet curves runs/micro/*/ -o runs/micro/exploitability.png
piquet curves runs/micro/*/ --json > runs/micro/exploitability.json
