import type { Capsule } from '../../contracts/capsule.js'
import { CliError } from '../cli-error.js'
import { type LoadOptions, loadApp } from '../load/load-app.js'
import { findOwnLine, formatOwnLine } from '../own-line.js'
import { alignRows } from '../route-rows.js'
import type { Streams } from '../streams.js'
import { type CapsulePlace, capsuleIds, readCapsule } from './capsule-files.js'
import type { AnsweredNow, ReplayOutcome } from './replay-outcome.js'

/** Options of `replay`. */
export interface ReplayOptions extends LoadOptions, CapsulePlace {
  /** The file of the test; `true` for the default. */
  readonly write?: string | true
  readonly database?: boolean
}

/** As `blazon dev` looks: the module that starts the application has its database, too. */
const MODULES = ['main', 'app', 'index']

/** The methods that a test has a function for. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Runs the request of a capsule again in a test, and says what was answered then and now; or lists the capsules.
 *
 * @throws CliError with status 1 if the server fails again, with 3 if that cannot be decided, with 2 for a capsule that cannot be
 * run.
 */
export async function replay(
  id: string | undefined,
  options: ReplayOptions,
  streams: Streams,
): Promise<void> {
  if (id === undefined) return listCapsules(options, streams)
  const { database: usesDatabase = false, write } = options
  const capsule = readCapsule(id, options)
  refuseCut(capsule, usesDatabase)
  const order = { kind: 'replay', capsule, usesDatabase } as const
  const { outcome } = await loadApp(order, { names: MODULES, ...options })
  const now = answered(outcome, capsule)
  for (const line of linesOf(capsule, now, options.cwd)) streams.out(`${line}\n`)
  for (const note of notesOf(capsule, now, usesDatabase)) streams.note(note)
  refuseUndecided(now)
  if (write === undefined) return judge(now)
  if (!fails(now)) throw notReproduced()
  const { writeReplayTest } = await import('./write-replay-test.js')
  writeReplayTest(capsule, { file: write, usesDatabase, cwd: options.cwd }, streams)
}

function listCapsules(options: ReplayOptions, streams: Streams): void {
  const ids = capsuleIds(options)
  if (ids.length === 0) {
    const where = options.folder ?? '.blazon/capsules'
    streams.note(
      `${where} has no capsules. \`blazon dev\` writes one for each request that the server fails.`,
    )
    return
  }
  const rows = ids.map((id) => {
    try {
      const { record } = readCapsule(id, { ...options, cwd: options.cwd })
      const { method, url, status, error } = record
      const why = error === null ? '' : `${error.name}: ${error.message}`
      return [id, String(status ?? record.outcome), method, printable(url), printable(why)]
    } catch {
      return [id, '', '', 'It cannot be read, or is one of another application.', '']
    }
  })
  for (const line of alignRows(rows)) streams.out(`${line.trimEnd()}\n`)
}

/** What a stranger has sent must not reach the terminal as commands. */
function printable(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').slice(0, LONGEST)
}

const LONGEST = 160

function refuseCut({ cut, record: { method, cause } }: Capsule, usesDatabase: boolean): void {
  const why = cut.filter((each) => !(usesDatabase && /statement/.test(each)))
  if (!METHODS.includes(method)) why.push(`Tests send no ${printable(method)}.`)
  if (cause === 'upgrade') why.push('It was an upgrade of the connection.')
  if (why.length === 0) return
  throw new CliError({
    status: 2,
    what: 'The capsule cannot be run.',
    cause: why.map(printable).join(' '),
    remedy: cut.some((each) => /statement/.test(each))
      ? 'Statements can run in the database of the application: --database. Bodies that are missing cannot be restored: write a test that sends one.'
      : 'Write a test that sends such a request: its body is not in the capsule.',
  })
}

function answered(outcome: ReplayOutcome, { record }: Capsule): AnsweredNow {
  if (outcome.is === 'answered') return outcome
  if (outcome.is === 'not-started') {
    throw new CliError({
      status: 1,
      what: 'The application did not start as a test.',
      cause: outcome.message,
      remedy: 'Name the module of the application by --entry, or correct what the message names.',
    })
  }
  if (outcome.is === 'not-sent') {
    throw new CliError({
      status: 3,
      what: 'The request could not be sent as it was.',
      cause: outcome.message,
      remedy: 'Write a test that sends such a request as your clients do.',
    })
  }
  throw new CliError({
    status: 2,
    what: `The application has no route ${record.route?.method} ${record.route?.path}.`,
    cause: 'The route was removed or renamed since, or the capsule is one of another application.',
    remedy: 'Name the module of the application by --entry, or remove the capsule.',
  })
}

function fails({ status }: AnsweredNow): boolean {
  return status === null || status >= 500
}

function linesOf(
  { id, record: { method, url, status, error } }: Capsule,
  now: AnsweredNow,
  cwd: string,
): string[] {
  return [
    `${method} ${printable(url)} (${id})`,
    ...alignRows([
      ['then', answerText(status, error, cwd)],
      ['now', answerText(now.status, now.error, cwd)],
    ]),
  ]
}

function answerText(status: number | null, error: AnsweredNow['error'], cwd: string): string {
  const what = status === null ? 'no response' : String(status)
  if (error === null) return what
  const line = findOwnLine(error.stack ?? '')
  const place = line === undefined ? '' : ` at ${formatOwnLine(line, cwd)}`
  return `${what} ${printable(`${error.name}: ${error.message}`)}${place}`
}

function notesOf({ hidden, sent, statements }: Capsule, now: AnsweredNow, usesDatabase: boolean) {
  const left = statements.length - now.statementCount
  return [
    ...(sent.omitted === null ? [] : [`It was sent without its body: ${sent.omitted}`]),
    ...(hidden.length === 0
      ? []
      : [`Hidden as secrets, and so not as they were: ${hidden.map(printable).join(', ')}.`]),
    ...(usesDatabase ? ['The statements ran in the database of the application.'] : []),
    ...(left > 0 && !usesDatabase
      ? [`It ran ${now.statementCount} of the ${statements.length} statements of the capsule.`]
      : []),
  ]
}

function refuseUndecided({ error }: AnsweredNow): void {
  if (error?.name !== 'UnansweredStatementError') return
  throw new CliError({
    status: 3,
    what: 'Whether the server still fails cannot be decided.',
    cause: 'The code runs a statement now that it did not run then, so the capsule has no answer.',
    remedy: 'Run the statements in the database of the application: --database.',
  })
}

function judge(now: AnsweredNow): void {
  if (!fails(now)) return
  throw new CliError({
    status: 1,
    what: 'The server fails again.',
    remedy: 'Correct the code, and run the command again; --write makes a test of it.',
  })
}

function notReproduced(): CliError {
  return new CliError({
    status: 3,
    what: 'No test was written.',
    cause: 'The server does not fail now, so the test would pass.',
    remedy: 'Run the command with the code that failed.',
  })
}
