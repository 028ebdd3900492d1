// Sends requests at a rate that does not depend on the answers, as clients of a real service do.

import { Agent, request } from 'node:http'

const TICK_MS = 5
/** After this time a client has given up: a later success is none. */
const PATIENCE_MS = 1000

/**
 * Sends requests for some seconds.
 *
 * @returns for each request when it was sent, how long it took, and its status; 0 for none.
 */
export async function sendAt({ port, perSecond, seconds, tenant = 'a' }) {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const started = performance.now()
  const pending = []
  let sent = 0
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - started
      const due = Math.min(elapsed / 1000, seconds) * perSecond
      for (; sent < due; sent += 1) pending.push(sendOne({ agent, port, tenant, started }))
      if (elapsed < seconds * 1000) return
      clearInterval(timer)
      resolve()
    }, TICK_MS)
  })
  const answers = await Promise.all(pending)
  agent.destroy()
  return answers
}

function sendOne({ agent, port, tenant, started }) {
  const begin = performance.now()
  const answer = (status) => ({ at: begin - started, ms: performance.now() - begin, status })
  return new Promise((resolve) => {
    const headers = { 'x-tenant-id': tenant }
    const sending = request(
      { agent, port, host: '127.0.0.1', path: '/work', headers },
      (response) => {
        response.resume()
        response.on('end', () => resolve(answer(response.statusCode)))
      },
    )
    sending.setTimeout(10 * PATIENCE_MS, () => sending.destroy())
    sending.on('error', () => resolve(answer(0)))
    sending.end()
  })
}

/** What a list of answers says: successes in a second, and the times of the successes. */
export function summarize(answers, seconds) {
  const succeeded = answers.filter(({ status }) => status === 200)
  const good = succeeded.filter(({ ms }) => ms <= PATIENCE_MS)
  const times = succeeded.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (part) =>
    times[Math.min(times.length - 1, Math.floor(part * times.length))] ?? Number.NaN
  return {
    goodput: good.length / seconds,
    refused: answers.filter(({ status }) => status === 503).length / seconds,
    failed: answers.filter(({ status, ms }) => !isAnswered(status, ms)).length / seconds,
    p50: at(0.5),
    p99: at(0.99),
  }
}

function isAnswered(status, ms) {
  return status === 503 || (status === 200 && ms <= PATIENCE_MS)
}
