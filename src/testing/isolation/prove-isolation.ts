import { randomInt } from 'node:crypto'
import { inspect } from 'node:util'
import type { DocumentedOperation } from '../../app/contract/documented-by-route.js'
import type { DocumentedOperations } from '../../app/contract/documented-operations.js'
import { cacheOf } from '../../features/cache/decorator.js'
import { type WrapHandle, wrapLayers } from '../../http/express-routers.js'
import type { IsolationTarget } from '../check-parts.js'
import { pauseBeforeHandler } from '../connections.js'
import { isFuzzable, NoValueError } from '../fuzz/fuzz-cases.js'
import { loadFastCheck } from '../fuzz/random.js'
import type { TestLog } from '../test-log.js'
import { refuseUntested } from '../untested.js'
import { Canaries } from './canaries.js'
import { Gate } from './gate.js'
import { checkSkipped, type IsolationOptions } from './isolation-options.js'
import { IsolationReport } from './isolation-report.js'
import {
  IsolationSession,
  isSafe,
  type SessionConfig,
  type TestedOperation,
} from './isolation-session.js'
import { openSides } from './isolation-side.js'
import { Observation, REMEDY } from './observations.js'
import { JobProof } from './prove-jobs.js'
import type { Trace } from './recorded-stores.js'
import { Records } from './records.js'
import { type Pair, sendConcurrently, sendInTurns, write } from './replay.js'
import { nameOtherTenants, readOwn, removeOwn, requestForeignData } from './request-foreign-data.js'
import { type MakerSetting, RequestMaker } from './request-maker.js'
import { type RouterOperation, routerOperations } from './router-operations.js'
import { sendAsUsers } from './send-as-users.js'

const ROUNDS = 2
const MAX_SEED = 2 ** 31
/** Operations that create data come first, and operations that delete data come last. */
const ORDER = ['POST', 'PUT', 'PATCH', 'GET', 'QUERY', 'HEAD', 'OPTIONS', 'DELETE']

/**
 * Runs the phases and returns the report.
 *
 * @param options Options that `checkIsolationOptions` has already checked.
 * @throws ConfigError if fast-check is not installed, or `skip` contains an operation that is not in the document;
 * Error if no requests could be sent, or an operation was not tested at all.
 */
export async function proveIsolation(
  target: IsolationTarget,
  options: IsolationOptions,
): Promise<IsolationReport> {
  const { skip = [], rounds = ROUNDS, seed = randomInt(MAX_SEED) } = options
  const { requests = [], texts = {} } = options
  const { caller, connect, tenantHeader, jobs } = target
  const routers = routerOperations(target.middlewares, requests)
  const all = [...target.operations.all, ...routers]
  const ids = all.map(({ operationId }) => operationId)
  checkSkipped(skip, [...ids, ...(jobs?.jobs.known.keys() ?? [])])
  const fc = await loadFastCheck('proveIsolation()')
  const [canaries, gate, records] = [new Canaries(seed), new Gate(), new Records()]
  const sides = openSides(options, { caller, connect, tenantHeader, canaries, gate, seed })
  const names = sides.map(({ name }) => name)
  const observations = all.map((documented) => new Observation(documented, names))
  for (const { middleware } of target.middlewares) wrapLayers(middleware, holdHandle)
  const given = new Map(sides.flatMap(({ headers }) => [...headers]))
  // With a generated value for this header, the request would belong to another tenant.
  if (tenantHeader !== null) given.set(tenantHeader, '')
  const setting = { fc, seed, rounds, canaries, records, names, given, texts }
  const tested = observations.flatMap((each) => testedOf(each, setting, options))
  tested.sort((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method))
  const session = new IsolationSession({
    ...{ sides, canaries, records, gate },
    leadsTo: ({ method, target: url, headers }, operation) =>
      isOfRouter(operation) ||
      target.operations.find(method, url, headers)?.route === operation.route,
    newLogs: logTraces(target.log, target.nameOf),
    newEntries: () => target.stores.take(),
    clearCache: () => target.stores.clear(),
  })
  const proof = jobs === null ? null : new JobProof({ jobs, sides, canaries, skip })
  target.stores.start()
  try {
    await runPhases(session, tested, {
      ...{ rounds, seed },
      runJobs: async () => await proof?.run(),
      nameOthers: () => nameOthers(session, tested, target),
      sendAsUsers: () =>
        sendAsUsers(tested, rounds, {
          ...{ session, canaries, gate, connect, isCached: isCachedIn(target.operations) },
          users: options.users,
          as: options.as,
        }),
    })
  } finally {
    target.stores.stop()
    for (const { agent } of sides) agent.destroy()
  }
  refuseBlind(session, observations)
  const ofJobs = proof?.end(observations.every(({ notTested }) => notTested !== 'skipped'))
  return new IsolationReport({
    seed,
    tenants: names,
    requests: session.requests,
    verdicts: [...observations.map((each) => each.toRow()), ...(ofJobs?.verdicts ?? [])],
    leaks: [...observations.flatMap(({ leaks }) => leaks), ...(ofJobs?.leaks ?? [])],
  })
}

/** @throws Error if the run tested nothing, or an operation was not tested at all. Leaks are in the report. */
function refuseBlind({ requests }: IsolationSession, observations: readonly Observation[]): void {
  if (requests === 0) throw nothingSent(observations.length)
  if (observations.every(({ leaks }) => leaks.length === 0))
    refuseUntested('proveIsolation()', observations)
}

/** A test that sends no request would always pass. */
function nothingSent(documented: number): Error {
  const cause =
    documented === 0
      ? 'the documents of this application have no operations'
      : 'skip or operations exclude all operations, or no request can be generated for the remaining ones'
  return new Error(`proveIsolation() sent no requests: ${cause}.`)
}

/**
 * Creates the request maker of an operation. If no request can be generated, returns an empty list and records the
 * reason.
 */
function testedOf(
  observation: Observation,
  setting: MakerSetting,
  { skip = [], operations: isWanted = () => true }: IsolationOptions,
): TestedOperation[] {
  const { documented } = observation
  const { operationId, name, handler } = documented
  const isTaken = !skip.includes(operationId) && isWanted({ operationId, name, handler })
  if (!isTaken) observation.notTested = 'skipped'
  else if (isOfRouter(documented)) observation.notTested = documented.notTested
  else if (!isFuzzable(documented)) observation.notTested = 'accepts a form'
  if (observation.notTested !== undefined) return []
  try {
    const maker = new RequestMaker(documented, setting)
    observation.limits = () => limitsOf(maker, observation.refusal)
    return [{ maker, observation, method: name.split(' ', 1)[0] as string }]
  } catch (error) {
    const where = error instanceof NoValueError ? `: ${error.where}; ${REMEDY}` : ''
    observation.notTested = `no value was found that its schema accepts${where}`
    return []
  }
}

/** The reasons why requests contain no random string, or contain it only in some fields. */
function limitsOf({ isUnmarked, unmarked }: RequestMaker, refusal: string): string[] {
  if (isUnmarked) return [`the application refuses random texts (${refusal})`]
  return unmarked.length === 0 ? [] : [`no random text fits ${unmarked.join(', ')}`]
}

function isOfRouter(operation: DocumentedOperation): operation is RouterOperation {
  return 'notTested' in operation
}

interface Phases {
  readonly rounds: number
  readonly seed: number
  /** Runs the jobs that the requests have sent. */
  readonly runJobs: () => Promise<void>
  /** Sends requests in which sides specify other tenants. */
  readonly nameOthers: () => Promise<void>
  readonly sendAsUsers: () => Promise<void>
}

/** Deleting comes last, because the other phases need data. */
async function runPhases(
  session: IsolationSession,
  all: readonly TestedOperation[],
  { rounds, seed, runJobs, nameOthers, sendAsUsers }: Phases,
): Promise<void> {
  const tested = all.filter(({ method }) => method !== 'DELETE')
  const removing = all.filter(({ method }) => method === 'DELETE')
  const pairs = pairsOf(session.config.sides)
  for (const each of tested) if (!isSafe(each)) await write(session, each, rounds)
  for (let round = 0; round < rounds; round++) {
    for (const each of tested) {
      for (const pair of pairs) {
        await sendConcurrently(each, pair, { session, round, seed })
        if (round === 0 || isSafe(each)) await sendInTurns(each, pair, { session, round, seed })
      }
    }
  }
  // Jobs run before the owners read their data, because a job can change it.
  await runJobs()
  const readers = tested.filter(isSafe)
  for (const each of all) {
    for (const [by, of] of pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const])) {
      await requestForeignData(each, { session, by, of, round: 0, readers })
    }
  }
  // After the requests of other sides, each owner reads its data, because another side could have overwritten it.
  for (const side of session.config.sides) await readOwn(session, readers, side)
  await nameOthers()
  await sendAsUsers()
  for (const each of removing) await removeOwn(session, each, 0)
  await runJobs()
}

/**
 * Sends requests in which sides specify the tenants of other sides. It calls only operations that check the tenant of a
 * request against its caller: with `authorize`, all operations; with a guard, the operations that the guard protects.
 */
async function nameOthers(
  session: IsolationSession,
  tested: readonly TestedOperation[],
  { tenantHeader, authorizes, confirms, operations }: IsolationTarget,
): Promise<void> {
  if (tenantHeader === null || !(authorizes || confirms)) return
  const { routes } = operations.model
  const guarded = new Set(
    routes.filter((route) => route.isProtected || route.isAuthOptional).map(({ name }) => name),
  )
  const compared = tested.filter(
    ({ maker, method }) =>
      method !== 'DELETE' && (authorizes || guarded.has(maker.documented.handler)),
  )
  await nameOtherTenants(session, compared, tenantHeader)
}

/** Creates the function that returns whether the responses of a handler are cached. */
function isCachedIn({ model }: DocumentedOperations): (handler: string) => boolean {
  const cached = new Set(
    model.routes.filter((route) => cacheOf(route) !== undefined).map(({ name }) => name),
  )
  return (handler) => cached.has(handler)
}

function pairsOf(sides: SessionConfig['sides']): Pair[] {
  return sides.flatMap((a, index) => sides.slice(index + 1).map((b): Pair => [a, b]))
}

/**
 * Makes requests wait before each function that a router calls, until the promise from the connection's `pause`
 * settles.
 */
const holdHandle: WrapHandle = (handle, kind) => {
  if (kind !== 'request') return handle
  return function runHeld(this: unknown, req, res, next) {
    const before = pauseBeforeHandler(req)
    if (before === undefined) return handle.call(this, req, res, next)
    return before.then(() => handle.call(this, req, res, next))
  }
}

/** Limits for logged objects. Deeper or longer values are not searched. */
const SHOWN = { depth: 8, maxStringLength: 100_000, maxArrayLength: 1000, breakLength: Infinity }

/**
 * Returns a function that lists the lines that requests have logged since its last call.
 *
 * @param nameOf Returns the name of the side to which a connection belongs.
 */
function logTraces(
  log: TestLog,
  nameOf: (connection: object | undefined) => string | undefined,
): () => Trace[] {
  let read = log.entries.length
  return function newLogs() {
    const fresh = log.entries.slice(read)
    read = log.entries.length
    return fresh.flatMap((entry): Trace[] => {
      const owner = nameOf(log.connectionOf(entry))
      if (owner === undefined) return []
      const { level, message, facts } = entry
      const where = `the ${level} “${message}”`
      return [{ kind: 'log', owner, text: `${message} ${inspect(facts, SHOWN)}`, where }]
    })
  }
}
