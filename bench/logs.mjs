// npm run bench:logs: the CPU time of one line of the log of requests, beside a line of pino. Each writes to /dev/null, in a process of its own.
import { spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const LINES = 400_000
/** The lines of one turn of the event loop, as a busy server writes them. */
const TURN = 50
const ROUNDS = 7

const route = { index: 0, method: 'GET', path: '/orders/:id' }

function request(n) {
  const id = `3f9a7c1e-${n}`
  const req = { method: 'GET', originalUrl: '/orders/7', headers: {}, id, user: { id: 'u1' } }
  return {
    req,
    res: null,
    route,
    status: 200,
    outcome: 'sent',
    startedAt: 1_764_000_000_000 + n,
    durationMs: 1.234 + (n % 10),
    bytes: 512,
    cause: 'handler',
    isQuiet: false,
    tenant: 'acme',
    claimedTenant: undefined,
  }
}

/** The same facts for pino. */
function factsOf({ req, status, durationMs, bytes, cause, tenant }) {
  return {
    method: req.method,
    route: route.path,
    status,
    ms: Math.round(durationMs * 100) / 100,
    bytes,
    cause,
    requestId: req.id,
    user: req.user.id,
    tenant,
  }
}

const LANES = {
  nothing: async () => () => {},
  blazon: async () => {
    const { openLogger } = await import('../dist/chunks/open-logger.js')
    const { requestLog } = await import('../dist/chunks/request-log.js')
    const settings = { level: 'info', redact: [], pretty: false }
    const logger = openLogger(settings, { clock: { now: Date.now }, secrets: [] })
    const plugin = requestLog({ level: null, fields: null })
    return plugin.requests({ logger, model: { routes: [route] } }).onEnd
  },
  'pino, one object': async () => {
    const { pino } = await import('pino')
    const logger = pino(pino.destination({ fd: 1, sync: false, minLength: 4096 }))
    return (ended) => logger.info(factsOf(ended), 'GET /orders/:id')
  },
  'pino, a child for each request': async () => {
    const { pino } = await import('pino')
    const logger = pino(pino.destination({ fd: 1, sync: false, minLength: 4096 }))
    return (ended) => {
      const { requestId, ...facts } = factsOf(ended)
      logger.child({ requestId }).info(facts, 'GET /orders/:id')
    }
  },
}

async function run(name) {
  const write = await LANES[name]()
  const pass = async (lines) => {
    for (let n = 0; n < lines; n += TURN) {
      for (let i = 0; i < TURN; i++) write(request(n + i))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await pass(LINES / 4)
  const before = process.cpuUsage()
  await pass(LINES)
  const { user, system } = process.cpuUsage(before)
  process.stderr.write(String((user + system) / LINES))
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

function measureAll() {
  const discard = openSync('/dev/null', 'w')
  const names = Object.keys(LANES)
  const found = new Map(names.map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      const args = [fileURLToPath(import.meta.url), name]
      const { stderr, status } = spawnSync(process.execPath, args, {
        stdio: ['ignore', discard, 'pipe'],
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(stderr)
      found.get(name).push(Number(stderr))
    }
  }
  const base = median(found.get('nothing'))
  console.log('| Line | µs of CPU |\n| --- | ---: |')
  for (const name of names.slice(1)) {
    console.log(`| ${name} | ${(median(found.get(name)) - base).toFixed(2)} |`)
  }
}

const [lane] = process.argv.slice(2)
if (lane === undefined) measureAll()
else await run(lane)
