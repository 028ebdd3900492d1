// npm run bench:guards: the CPU time in which a guard recognises a credential that it has seen before, and refuses a text that is no
// credential. Each in a process of its own; nothing is sent over a connection.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const CALLS = 400_000
/** The calls of one turn of the event loop, as a busy server makes them. */
const TURN = 50
const ROUNDS = 7
const SECRET = 'a secret of 32 characters or more, for this program only'

const request = (headers) => ({ headers, method: 'GET', url: '/orders', res: {} })

/** A guard as an application has it. */
async function prepared(guard) {
  const { App, Clock } = await import('../dist/index.js')
  const app = await App.create({ logger: false })
  const logger = { info() {}, warn() {}, error() {} }
  return guard.forApplication({ get: (token) => app.get(token ?? Clock), logger })
}

async function keyGuard() {
  const { apiKeys, generateApiKey } = await import('../dist/integrations/api-keys/index.js')
  const { key, hash } = generateApiKey({ prefix: 'acme_live' })
  const record = { id: 'k1', hash, permissions: ['orders:read'] }
  const find = (asked) => (asked === hash ? record : null)
  return { key, guard: await prepared(apiKeys({ prefix: 'acme_live', find })) }
}

/** Each lane returns a function that makes one call, and the verdict that the call must have. */
const LANES = {
  nothing: async () => ({ call: () => request({}), verdict: undefined }),
  'a token that is known': async () => {
    const { jwt, signTestToken } = await import('../dist/integrations/jwt/index.js')
    const token = signTestToken({ sub: 'jake', aud: 'orders', iss: 'us' }, SECRET)
    const guard = await prepared(jwt({ keys: SECRET, issuer: 'us', audience: 'orders' }))
    const authorization = `Bearer ${token}`
    return { call: () => guard.canActivate(request({ authorization })), verdict: true }
  },
  'a key that is known': async () => {
    const { key, guard } = await keyGuard()
    return { call: () => guard.canActivate(request({ 'x-api-key': key })), verdict: true }
  },
  'a text that is not a key': async () => {
    const { key, guard } = await keyGuard()
    const mistyped = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
    const call = () => {
      try {
        return guard.canActivate(request({ 'x-api-key': mistyped }))
      } catch {
        return false
      }
    }
    return { call, verdict: false }
  },
}

async function run(name) {
  const { call, verdict } = await LANES[name]()
  if (verdict !== undefined) {
    const given = await Promise.resolve(call()).catch(() => false)
    if (given !== verdict) throw new Error(`${name}: the verdict is ${given}.`)
  }
  const pass = async (calls) => {
    for (let n = 0; n < calls; n += TURN) {
      let last
      for (let i = 0; i < TURN; i++) last = call()
      await Promise.resolve(last).catch(() => {})
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await pass(CALLS / 4)
  const before = process.cpuUsage()
  await pass(CALLS)
  const { user, system } = process.cpuUsage(before)
  process.stderr.write(String((user + system) / CALLS))
  process.exit(0)
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

function measureAll() {
  const names = Object.keys(LANES)
  const found = new Map(names.map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      const args = [fileURLToPath(import.meta.url), name]
      const { stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr)
      found.get(name).push(Number(stderr))
    }
  }
  const base = median(found.get('nothing'))
  console.log('| Credential | µs of CPU |\n| --- | ---: |')
  for (const name of names.slice(1)) {
    console.log(`| ${name} | ${(median(found.get(name)) - base).toFixed(2)} |`)
  }
}

const [lane] = process.argv.slice(2)
if (lane === undefined) measureAll()
else await run(lane)
