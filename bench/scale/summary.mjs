// What is kept of the rounds of throughput.mjs.
import { medianOf, summarize, summarizeRatios } from '../summary.mjs'

/** By path and by variant, from a list of rounds. */
export function keepRounds(rounds) {
  const paths = Object.keys(rounds[0]).map((path) => [
    path,
    keepPath(rounds.map((each) => each[path])),
  ])
  return Object.fromEntries(paths)
}

const middle = (values) => medianOf(summarize(values))

function keepPath(rounds) {
  const column = (variant, read) => rounds.map((round) => read(round[variant]))
  const rate = ({ perSecond }) => perSecond
  const kept = Object.keys(rounds[0]).map((name) => [
    name,
    {
      perSecond: summarize(column(name, rate)),
      ofOne: summarizeRatios(column(name, rate), column('one', rate)),
      // Twice what a request takes of one process and Redis, by what it takes of all: 2 where sharing costs nothing.
      byCost: summarizeRatios(
        column('one', (one) => 2 * totalOf(one)),
        column(name, totalOf),
      ),
      ...keepTimes((read) => column(name, read), rounds[0][name].servers.length),
      usedUp: middle(column(name, ({ usedUp }) => usedUp)),
    },
  ])
  return Object.fromEntries(kept)
}

/** Microseconds of a request, of which each process and Redis take a part. */
function keepTimes(column, processes) {
  const time = ({ microseconds }) => microseconds
  const servers = Array.from({ length: processes }, (_, i) =>
    middle(column(({ servers }) => time(servers[i]))),
  )
  const sum = ({ servers }) => servers.reduce((total, each) => total + time(each), 0)
  return {
    servers,
    allServers: middle(column(sum)),
    redis: middle(column(({ redis }) => time(redis))),
  }
}

/** Instructions of all processes and of Redis, or their time. */
function totalOf({ servers, redis }) {
  const costs = [...servers, redis]
  const key = costs.every(({ kilo }) => Number.isFinite(kilo)) ? 'kilo' : 'microseconds'
  return costs.reduce((sum, cost) => sum + cost[key], 0)
}
