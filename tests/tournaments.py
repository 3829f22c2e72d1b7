"""Small tournaments in the test's own process, for several test files."""

from piquet_env.arena.match import Block, Side
from piquet_env.arena.schedule import Job, Plan, Played
from piquet_env.bots import load_bot
from piquet_env.rules import Rules

JOB = Job(0, 4, 0, 1)


def plan_of(*bots, rules="micro", episode="deal", block=4, orders=0) -> Plan:
    return Plan(bots or ("greedy", "random"), Rules.make(rules), episode, 0, block, 150, orders, 60.0)


def play(plan: Plan, job: Job) -> Played:
    bots = [load_bot(plan.bots[number]) for number in (job.a, job.b)]
    block = Block(plan.rules, plan.episode, plan.seed, range(job.first, job.stop), job.rngs(plan), plan.forfeit)
    deals, games = block.play((Side("a", bots[0]), Side("b", bots[1])), lambda ended: None)
    return Played(deals, games, (1.0, 2.0), (10, 20), ())
