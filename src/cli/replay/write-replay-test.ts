import { execFile } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import type { Capsule } from '../../contracts/capsule.js'
import { CliError } from '../cli-error.js'
import type { AnsweredNow } from '../load/protocol.js'
import { launchFor, resolveFrom } from '../load/run-child.js'
import { nearestWith, outputPath } from '../output-path.js'
import type { Streams } from '../program-context.js'
import { readText, writeFiles } from '../write-files.js'
import { type CodeFile, readCode, type TestStart, testStarts } from './test-starts.js'

/** Where and how to write a capsule's test. */
export interface WriteConfig {
  /** The absolute path of the capsule. */
  readonly source: string
  /** The path from the working directory; `true` for a file in the folder of the project's tests. */
  readonly write: string | true
  readonly usesDatabase: boolean
  /** The server's response to the replayed request. */
  readonly now: AnsweredNow
  readonly cwd: string
  /** The time limit of the test, in seconds. */
  readonly timeout: number
}

/**
 * Writes a capsule's test and a copy of the capsule. The test is run once first, and must fail in the same way as the
 * request.
 *
 * @throws CliError with status 3 if no way to start the application results in such a test; with status 2 if the file
 * exists.
 */
export async function writeReplayTest(
  capsule: Capsule,
  { source, write, usesDatabase, now, cwd, timeout }: WriteConfig,
  streams: Streams,
): Promise<void> {
  const root = nearestWith('package.json', cwd) ?? cwd
  const code = readCode(root)
  const path =
    write === true
      ? pathOf(capsule, code)
      : relative(root, outputPath(write, '--write', cwd)).replaceAll('\\', '/')
  const copy = path.replace(/(?:\.(?:test|spec))?\.[cm]?[jt]s$/, '.json')
  for (const file of [path, copy]) refuseExisting(file, root)
  const manifest = readText(join(root, 'package.json')) ?? ''
  const runner = /\bvitest\b/.test(manifest) ? 'vitest' : 'node:test'
  let output = 'No test of the project starts its application, and no module exports its options.'
  for (const way of waysOf(capsule, testStarts(code, path), usesDatabase)) {
    writeFiles([
      { path: join(root, path), text: testText(capsule, { ...way, runner, copy }) },
      { path: join(root, copy), text: readText(source) ?? '' },
    ])
    output = await run(join(root, path), { runner, root, timeout })
    if (hasFailed(output, now)) return streams.out(`${path} (new)\n${copy} (new)\n`)
    for (const file of [path, copy]) rmSync(join(root, file))
  }
  throw new CliError({
    status: 3,
    what: 'No test was written.',
    cause: `No generated test fails in the same way as the request. ${output.trim().slice(-LONGEST)}`,
    remedy:
      'Export the options, `export const options = defineAppOptions({ … })`, and write one test with `TestApp.create({ ...options })`.',
  })
}

type Database = boolean | 'embedded'

interface Way {
  readonly start: TestStart
  readonly database: Database
}

/** Returns the tests to try, in order of preference. */
function waysOf(
  { statements }: Capsule,
  starts: readonly TestStart[],
  usesDatabase: boolean,
): Way[] {
  // A corrected statement has a different text, for which the capsule has no result.
  const isOfStatement = statements.some(({ error }) => error !== null)
  const modes: Database[] = usesDatabase ? [true] : isOfStatement ? ['embedded', false] : [false]
  return modes.flatMap((mode) =>
    starts
      .filter(({ takesOptions }) => takesOptions || mode === modes[0])
      .map((start) => ({ start, database: start.takesOptions ? mode : mode || 'embedded' }))
      // If the start does not come from a test, the embedded database is the development database, which the new test
      // could change.
      .filter(({ start, database }) => start.isOfTests || database !== 'embedded'),
  )
}

const LONGEST = 2000

function refuseExisting(path: string, root: string): void {
  if (!existsSync(join(root, path))) return
  throw new CliError({
    status: 2,
    what: `${path} exists. Nothing was written.`,
    cause: 'The command does not replace files.',
    remedy: 'Choose another name: --write test/orders.test.ts',
  })
}

/**
 * Returns a path such as `test/replay-get-orders-id-a1b2c3.test.ts`, in the folder and with the extension of the first
 * test.
 */
function pathOf(
  { id, record: { route, method, url } }: Capsule,
  code: readonly CodeFile[],
): string {
  const words = `${method} ${route?.path ?? url.split('?', 1)[0]}`.toLowerCase().split(/[^a-z0-9]+/)
  const name = ['replay', ...words.filter((word) => word !== ''), id.slice(-6)]
    .join('-')
    .slice(-100)
  const first = code.find(({ path }) => /\.(?:test|spec)\.ts$/.test(path))?.path
  const end = first?.endsWith('.spec.ts') ? '.spec.ts' : '.test.ts'
  return posix.join(first === undefined ? 'test' : posix.dirname(first), `${name}${end}`)
}

interface TestConfig extends Way {
  readonly runner: 'vitest' | 'node:test'
  /** The path of the capsule's copy. */
  readonly copy: string
}

function testText(
  { id, hidden, record: { method, url, route, status, error } }: Capsule,
  { start: { expression, imports, constants }, database, runner, copy }: TestConfig,
): string {
  const title =
    route === null ? `${method} ${url.split('?', 1)[0]}` : `${route.method} ${route.path}`
  const why = error === null ? '' : ` (${error.name}: ${error.message})`
  const all: [string, string[]][] = [
    ...imports.map(([from, names]): [string, string[]] => [from, [...names]]),
    [runner, ['it']],
    ['blazon/testing', ['openCapsule', ...(/\bTestApp\b/.test(expression) ? ['TestApp'] : [])]],
  ]
  const mode = database === 'embedded' ? "'embedded'" : database
  const use = database === false ? '' : `, { database: ${mode} }`
  const rank = (from: string) => (from.startsWith('.') ? `~${from}` : from)
  const froms = [...new Set(all.map(([from]) => from))].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  const lines = froms.map((from) => {
    const names = new Set(all.flatMap((each) => (each[0] === from ? each[1] : [])))
    return `import { ${[...names].sort().join(', ')} } from '${from}'`
  })
  return `import assert from 'node:assert/strict'
${lines.join('\n')}
${[...constants].map((each) => `\n${each}\n`).join('')}
// ${oneLine(`The capsule ${id}: ${method} ${url} received ${status ?? 'no response'}${why}.`)}
${hidden.length === 0 ? '' : `// ${oneLine(`It contains [secret] in place of secrets: ${hidden.join(', ')}.`)}\n`}it('${title.replace(/[\\']/g, '\\$&')} does not make the server fail', async () => {
  using capsule = openCapsule('${copy}'${use})
  await using app = ${expression}
  const response = await capsule.replay(app)
  assert.ok(response.status < 500, String(app.explain(response)))
})
`
}

/** Puts a string on one line, because a comment ends at the end of its line. */
function oneLine(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ')
}

interface RunConfig {
  readonly runner: 'vitest' | 'node:test'
  readonly root: string
  readonly timeout: number
}

/** Runs the test with the project's test runner. */
async function run(file: string, { runner, root, timeout }: RunConfig): Promise<string> {
  const vitest = resolveFrom(root, 'vitest/package.json')
  const { nodeOptions, env } = launchFor(file, root)
  const args =
    runner === 'vitest' && vitest !== undefined
      ? [join(dirname(vitest), 'vitest.mjs'), 'run', file]
      : [...nodeOptions, '--test', '--test-reporter=tap', file]
  // If the command itself runs in a test runner, these variables would make the new process part of that runner.
  const { NODE_TEST_CONTEXT: _, VITEST: __, ...own } = process.env
  const options = { cwd: root, env: { ...env, ...own, NO_COLOR: '1' }, timeout: timeout * 1000 }
  return await new Promise((resolve) => {
    execFile(process.execPath, args, options, (_error, stdout, stderr) => resolve(stdout + stderr))
  })
}

/**
 * Whether a test failed because the server failed with the same error. Only the assertion in the last line of the test
 * prints the arrow.
 */
function hasFailed(output: string, { error }: AnsweredNow): boolean {
  const [, explained] = output.split(/→ (?:5\d\d|no response)/)
  return explained !== undefined && (error === null || explained.includes(`: ${error.name}: `))
}
