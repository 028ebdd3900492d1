// In the child process: starts the application as a test, and sends it the request of a capsule.
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type AppDescription, removeDescriber } from '../../app/announce.js'
import type { Capsule } from '../../contracts/capsule.js'
import type { AnsweredStatement } from '../../contracts/statement.js'
import { fromPlain } from '../../features/capsules/plain-value.js'
import { readApp } from '../load/read-app.js'
import { messageOf } from '../message-of.js'
import { headersOf, tenantOf } from './capsule-request.js'
import type { ReplayApp, ReplayCaller, TestingDoor } from './replay-app.js'
import type { ReplayOrder, ReplayOutcome } from './replay-outcome.js'

/** How long the response may take. The clock of the application does not run, so its own time limits do not end it. */
const LONGEST_MS = 10_000

/** Runs a capsule in the application of a module. */
export async function replayCapsule({
  module,
  capsule,
  usesDatabase,
}: ReplayOrder & { readonly module: string }): Promise<ReplayOutcome> {
  const description = await readApp(module, { recordsDecorators: false })
  if (!hasRoute(description, capsule)) return { is: 'no-route' }
  removeDescriber()
  const { TestApp: Test } = await testingOf(module)
  const statements = usesDatabase ? {} : { statements: capsule.statements.map(answerOf) }
  const options = { ...testOptions(description.options()), ...statements }
  let app: ReplayApp
  try {
    app = await Test.create(options)
  } catch (error) {
    return { is: 'not-started', message: messageOf(error) }
  }
  app.clock.set(capsule.record.startedAt)
  return await answerTo(app, capsule)
}

async function answerTo(app: ReplayApp, capsule: Capsule): Promise<ReplayOutcome> {
  const late = setTimeout(LONGEST_MS, null)
  let response: { readonly status: number } | null
  try {
    response = await Promise.race([send(app, capsule), late])
  } catch (error) {
    return { is: 'not-sent', message: messageOf(error) }
  }
  if (response === null) return { is: 'answered', status: null, error: null, statementCount: 0 }
  const { status, error, statementCount } = app.explain(response)
  return { is: 'answered', status: status ?? response.status, error, statementCount }
}

function hasRoute(description: AppDescription, { record: { route } }: Capsule): boolean {
  if (route === null) return true
  return description
    .routes()
    .some(({ method, path }) => method === route.method && path === route.path)
}

/** The door of the package that the application itself uses: only that copy knows its classes. */
async function testingOf(module: string): Promise<TestingDoor> {
  const found = createRequire(module).resolve('blazon/testing')
  return await import(pathToFileURL(found.replace(/\.cjs$/, '.js')).href)
}

/** Without what belongs to a server: its lines, its limits, and capsules of the replay itself. */
function testOptions(options: object): object {
  const left = Object.entries(options).filter(([name]) => !OF_SERVERS.includes(name))
  return { ...Object.fromEntries(left), rateLimit: false, contract: 'off', queries: false }
}

const OF_SERVERS: readonly string[] = ['logger', 'logs', 'records', 'capacity']

function answerOf(statement: Capsule['statements'][number]): AnsweredStatement {
  const { text, values, rows, rowCount, error } = statement
  return {
    text,
    values: values === null ? [] : (fromPlain(values) as unknown[]),
    rows: rows === null ? [] : (fromPlain(rows) as unknown[]),
    rowCount,
    ...(error === null ? {} : { error }),
  }
}

/** Sends the request, as the user and for the tenant of the capsule. */
async function send(app: ReplayApp, capsule: Capsule): Promise<{ readonly status: number }> {
  const { method, url } = capsule.record
  const user = fromPlain(capsule.principal) as object | null
  const tenant = tenantOf(capsule)
  const caller: ReplayCaller = user === null ? app : app.as(user)
  const agent = (tenant === null ? caller : caller.asTenant(tenant)).request()
  const request = agent[method.toLowerCase()]?.(url)
  if (request === undefined) throw new Error(`Tests send no ${method}.`)
  for (const [name, value] of headersOf(capsule)) request.set(name, value)
  const { body } = capsule.sent
  return await (body === null ? request : request.send(body))
}
