// What `capacity` does for an application that gets three times the requests that it can handle, beside the same
// application without it: successes per second, their times, the time until all is normal again, and what a tenant with
// too many requests costs another one. It prints a report. Options: --seconds 5 (of each phase).

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sendAt, summarize } from './capacity/load.mjs'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } })
const SECONDS = Number(values.seconds)
/** The application can answer 1000. */
const NORMAL = 800
const PEAK = 1000
const OVERLOAD = 3 * PEAK
const CAPACITY = { concurrent: 12, queue: 8 }

async function withServer(options, use) {
  const child = fork(new URL('./capacity/server.mjs', import.meta.url), [JSON.stringify(options)])
  try {
    const [{ port }] = await once(child, 'message')
    await sendAt({ port, perSecond: 200, seconds: 1 })
    return await use(port)
  } finally {
    child.disconnect()
    await once(child, 'exit')
  }
}

async function measure(port, perSecond, more = {}) {
  const answers = await sendAt({ port, perSecond, seconds: SECONDS, ...more })
  return { ...summarize(answers, SECONDS), answers }
}

/** Seconds after the overload from which on all answers are fast and none is refused. */
function recovery(answers, normalP99) {
  const slow = answers.filter(({ status, ms }) => status !== 200 || ms > 2 * normalP99)
  return slow.length === 0 ? 0 : Math.max(...slow.map(({ at }) => at)) / 1000
}

async function overload(name, capacity) {
  await withServer({ capacity }, async (port) => {
    const normal = await measure(port, NORMAL)
    const peak = await measure(port, PEAK)
    const overloading = measure(port, OVERLOAD)
    // The normal load goes on when the overload ends, and not when all of it is answered.
    await sleep(SECONDS * 1000)
    const after = await measure(port, NORMAL)
    const over = await overloading
    const row = (load, { goodput, refused, failed, p50, p99 }) => ({
      application: name,
      load,
      'good/s': Math.round(goodput),
      'refused/s': Math.round(refused),
      'failed/s': Math.round(failed),
      'p50 ms': Number(p50.toFixed(1)),
      'p99 ms': Number(p99.toFixed(1)),
    })
    console.table([
      row('normal', normal),
      row('peak', peak),
      row('overload', over),
      row('after', after),
    ])
    const share = (100 * over.goodput) / peak.goodput
    console.log(`goodput under overload: ${share.toFixed(0)} % of peak (to reach: 80 %)`)
    console.log(`p99 of successes: ${(over.p99 / normal.p99).toFixed(2)}x of normal (to reach: 2x)`)
    console.log(`recovery: ${recovery(after.answers, normal.p99).toFixed(2)} s (to reach: 2 s)\n`)
  })
}

/** A tenant sends moderately, first alone, then beside one that sends far too much. */
async function greedy() {
  await withServer({ capacity: { ...CAPACITY, perTenant: 8 }, tenants: true }, async (port) => {
    const alone = await measure(port, PEAK / 5, { tenant: 'b' })
    const [beside] = await Promise.all([
      measure(port, PEAK / 5, { tenant: 'b' }),
      measure(port, OVERLOAD, { tenant: 'a' }),
    ])
    const cost = 100 * (1 - beside.goodput / alone.goodput)
    console.log(
      `a greedy tenant costs another ${cost.toFixed(1)} % of its successes (to reach: 10 %),`,
    )
    console.log(`and its p99 is ${beside.p99.toFixed(1)} ms in place of ${alone.p99.toFixed(1)} ms`)
  })
}

await overload('with capacity', CAPACITY)
await overload('without', null)
await greedy()
