// Runs in the child process: starts the application as a test, and sends it the request from a capsule.
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { removeDescriber } from '../../app/describer.js'
import type { RequestRecord } from '../../contracts/request-record.js'
import type { CliErrorFacts } from '../cli-error.js'
import type { ReplayOrder, ReplayOutcome } from '../load/protocol.js'
import { readApp } from '../load/read-app.js'
import { messageOf } from '../texts.js'

/**
 * The time limit for the response, in milliseconds. The application's clock does not advance, so its own time limits
 * have no effect.
 */
const LONGEST_MS = 10_000

/** The members of `blazon/testing` that the command uses. They are imported from the application's own packages. */
interface TestingDoor {
  readonly TestApp: { create(options: object): Promise<ReplayApp> }
  openCapsule(file: string, use: { readonly database: boolean }): OpenCapsule
}

interface ReplayApp {
  explain(response: object): RequestRecord
}

interface OpenCapsule {
  readonly options: object
  readonly unanswered: Error | null
  replay(app: ReplayApp): Promise<object>
}

type Job = ReplayOrder & { readonly module: string }

/** Runs a capsule in a module's application. */
export async function replayCapsule(job: Job): Promise<ReplayOutcome> {
  const testing = await testingOf(job.module)
  // Must run before the application is loaded, because it blocks all connections to other hosts.
  const capsule = testing.openCapsule(job.file, { database: job.usesDatabase })
  try {
    return await run(job, capsule, testing)
  } catch (error) {
    if (capsule.unanswered === null) throw error
    return stopped({
      status: 3,
      what: 'It is unknown whether the server still fails.',
      cause: capsule.unanswered.message,
      remedy:
        'Add --database: it runs the statements in the database of the application, and allows connections while the application starts.',
    })
  }
}

async function run(
  { module, route }: Job,
  capsule: OpenCapsule,
  { TestApp }: TestingDoor,
): Promise<ReplayOutcome> {
  const description = await readApp(module)
  const isSame = (other: { readonly method: string; readonly path: string }) =>
    other.method === route?.method && other.path === route.path
  if (route !== null && !description.routes().some(isSame)) {
    return stopped({
      status: 2,
      what: `The application has no route ${route.method} ${route.path}.`,
      cause: 'The route was removed or renamed, or the capsule belongs to another application.',
      remedy: 'Specify the module of the application with --entry, or remove the capsule.',
    })
  }
  removeDescriber()
  const options = Object.entries(description.options()).filter(([name]) => !isOfServers(name))
  const made = { ...Object.fromEntries(options), ...capsule.options }
  const app = await TestApp.create(made).catch(messageOf)
  if (capsule.unanswered !== null) throw capsule.unanswered
  if (typeof app === 'string') {
    return stopped({
      status: 1,
      what: 'The application did not start in a test.',
      cause: app,
      remedy:
        'Specify the module of the application with --entry, or correct the problem that the message describes.',
    })
  }
  return await answerOf(app, capsule)
}

async function answerOf(app: ReplayApp, capsule: OpenCapsule): Promise<ReplayOutcome> {
  const late = setTimeout(LONGEST_MS, null)
  const response = await Promise.race([capsule.replay(app).catch(messageOf), late])
  if (capsule.unanswered !== null) throw capsule.unanswered
  if (typeof response === 'string') {
    return stopped({
      status: 3,
      what: 'The request could not be sent in its original form.',
      cause: response,
      remedy: 'Write a test that sends such a request as your clients do.',
    })
  }
  if (response === null) return { is: 'answered', ...NO_RESPONSE }
  const { status, error, answeredBy, statementCount, steps } = app.explain(response)
  const hasReachedHandler = steps.some(({ step }) => step === 'handler')
  return { is: 'answered', status, error, answeredBy, statementCount, hasReachedHandler }
}

const NO_RESPONSE = {
  status: null,
  error: null,
  answeredBy: null,
  statementCount: 0,
  hasReachedHandler: false,
} as const

function stopped(facts: CliErrorFacts): ReplayOutcome {
  return { is: 'stopped', ...facts }
}

/**
 * Returns the entry point of the package that the application itself uses, because only that copy has the metadata of
 * the application's classes.
 */
async function testingOf(module: string): Promise<TestingDoor> {
  const found = createRequire(module).resolve('blazon/testing')
  return await import(pathToFileURL(found.replace(/\.cjs$/, '.js')).href)
}

/** Whether an option concerns only real servers: logs, load limits, and capsules, which a replay must not write. */
function isOfServers(name: string): boolean {
  return ['logger', 'logs', 'records', 'capacity'].includes(name)
}
