import { App } from 'blazon'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Random } from '../conformance/random.js'
import { exchange, request } from '../journeys/hostile/raw-connection.js'
import { type Credential, credentialsOf, options, ROUTES, runs } from './credentials-app.js'
import { rounds, seed } from './rounds.js'

const REQUESTS = rounds(6000)

let app: App
let port: number
let credentials: readonly Credential[]

beforeAll(async () => {
  app = new App(options)
  ;({ port } = await app.listen(0, '127.0.0.1'))
  credentials = await credentialsOf(app)
})
afterAll(() => app.close())

/** Other spellings of a path. None may lead to the route without its guards. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => path.toUpperCase(),
  (path) => path.replace('o', '%6f'),
  (path) => path.replace('e', '%45'),
  (path) => `${path}?_method=OPTIONS&access_token=x`,
  (path) => `http://localhost${path}`,
  (path) => `/.${path}`,
  (path) => `/${path}`,
  (path) => path.replace('/routes', '/routes/../routes'),
  (path) => path.replace('/routes/', '/routes%2f'),
  (path) => `${path};jsessionid=x`,
  (path) => `${path}%00`,
  (path) => `${path}%20`,
  (path) => `${path}.json`,
]

/** Headers in which others have found a way in. */
const ODD_LINES: readonly string[] = [
  'X-HTTP-Method-Override: OPTIONS',
  'X-Original-URL: /api-docs',
  'X-Rewrite-URL: /routes/login/acme',
  'X-Forwarded-Host: localhost',
  'X-Forwarded-Proto: https',
  'X-Forwarded-For: 127.0.0.1',
  'X-User: root',
  'X-Tenant: acme',
  'Proxy-Authorization: Bearer root',
  'Accept: text/html',
  'If-None-Match: *',
  'Range: bytes=0-0',
]

const TENANTS: readonly (readonly string[])[] = [
  [],
  ['X-Tenant-Id: acme'],
  ['X-Tenant-Id: globex'],
  ['X-Tenant-Id: acme', 'X-Tenant-Id: globex'],
  ['X-Tenant-Id:'],
  ['X-Tenant-Id: __proto__'],
]

/** A credential as it is, or with a change that makes it another one. Nobody knows whether a guard still takes it for its own. */
interface Sent {
  readonly credential: Credential
  readonly lines: readonly string[]
  readonly isChanged: boolean
}

function change(credential: Credential, random: Random): Sent {
  const { line } = credential
  const at = line.indexOf(': ') + 2
  const place = at + random.below(Math.max(1, line.length - at))
  const other = random.pick([...'aZ0-_.=, ;"'])
  const lines = random.pick<readonly string[]>([
    [line.slice(0, place) + other + line.slice(place + 1)],
    [line.slice(0, place) + line.slice(place + 1)],
    [line.slice(0, place) + other + line.slice(place)],
    [line, line],
    [line, 'Authorization: Bearer a.b.c', 'X-API-Key: x', 'Cookie: session=x'],
    [`${line.slice(0, at)}${line.slice(at)}, ${line.slice(at)}`],
    [line.replace(/^[\w-]+/, 'X-Other')],
  ])
  return { credential, lines, isChanged: lines.join() !== line }
}

function choose(random: Random): readonly Sent[] {
  const guards = ['user', 'key', 'web'].filter(() => random.below(2) === 0)
  return guards.map((guard) => {
    const own = credentials.filter((each) => each.guard === guard)
    const right = own.filter(({ caller }) => caller !== null)
    const credential = random.pick(random.below(3) > 0 ? right : own)
    if (random.below(4) === 0) return change(credential, random)
    return { credential, lines: [credential.line], isChanged: false }
  })
}

interface Expected {
  /** The callers whom a request may be let in as; empty if it must be refused. */
  readonly callers: readonly object[]
  /** Whether it must be let in. */
  readonly isSure: boolean
}

/** What the rules say, in the words of the documentation. */
function expectedOf(route: string, sent: readonly Sent[], named: readonly string[]): Expected {
  const { accepts, isOptional } = ROUTES[route] as (typeof ROUTES)[string]
  const own = accepts.flatMap((guard) => sent.filter((each) => each.credential.guard === guard))
  const whole = own.filter(({ isChanged }) => !isChanged)
  const isSure = sent.every(({ isChanged }) => !isChanged)
  const tenants = named.map((line) => line.slice('X-Tenant-Id: '.length))
  if (tenants.length > 1 || tenants.some((tenant) => !['acme', 'globex'].includes(tenant))) {
    return { callers: [], isSure: false }
  }
  if (whole.some(({ credential }) => credential.caller === null))
    return { callers: [], isSure: false }
  const callers = whole.flatMap(({ credential: { guard, caller } }) =>
    caller === null ? [] : [{ by: guard as string, ...caller }],
  )
  const [first] = callers
  const [tenant] = tenants
  if (first === undefined) {
    if (isOptional !== true) return { callers: [], isSure: false }
    return { callers: [{ by: null, id: null, tenant: tenant ?? null }], isSure }
  }
  const isOne = callers.every((each) => each.tenant === (tenant ?? first.tenant))
  // A session is one of the tenant that the request names.
  const isWeb = whole.some(({ credential }) => credential.guard === 'web')
  if (!isOne || (isWeb && tenant === undefined)) return { callers: [], isSure: false }
  return { callers: [first], isSure }
}

it(`${REQUESTS} random requests reach a handler only if all credentials for the route are valid (SEED=${seed})`, async () => {
  const random = new Random(seed)
  const counts = { letIn: 0, refused: 0 }
  for (let n = 0; n < REQUESTS; n++) {
    const route = random.pick(Object.keys(ROUTES))
    const [method = '', path = ''] = route.split(' ')
    const spelling = random.below(3) > 0 ? 0 : random.below(SPELLINGS.length)
    const target = (SPELLINGS[spelling] as (path: string) => string)(path)
    const sent = choose(random)
    const named = random.below(2) > 0 ? random.pick(TENANTS.slice(0, 3)) : random.pick(TENANTS)
    const odd = random.below(3) === 0 ? [random.pick(ODD_LINES)] : []
    const lines = [...sent.flatMap((each) => each.lines), ...named, ...odd]
    lines.sort(() => random.below(3) - 1)
    const all = ['Sec-Fetch-Site: same-origin', 'Content-Length: 0', ...lines]
    const expected = expectedOf(route, sent, named)
    const what = `${method} ${target}\n${all.join('\n')}\nexpected: ${JSON.stringify(expected)}`
    runs.length = 0
    const [answer] = await exchange(port, request(target, all, { method }))
    expect(answer?.status, what).toBeLessThan(500)
    const made = [...runs]
    expect(made.length, what).toBe(answer?.status === 200 ? 1 : 0)
    if (made.length === 0) {
      counts.refused++
      if (expected.isSure && spelling < 2)
        expect(expected.callers, `${answer?.status} ${what}`).toEqual([])
      continue
    }
    counts.letIn++
    expect(expected.callers, what).toContainEqual(made[0])
  }
  // Otherwise the requests would show nothing.
  expect(counts.letIn).toBeGreaterThan(REQUESTS / 20)
  expect(counts.refused).toBeGreaterThan(REQUESTS / 20)
})
