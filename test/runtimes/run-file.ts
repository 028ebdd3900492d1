// <runtime> run-file.js <test file> <results>: runs the tests of one file, with the runner and the assertions of Vitest, but
// without its processes, which Bun and Deno do not support in full. Writes each test on a line of `results` when it has ended.
import { appendFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { startTests, type Test, type VitestRunner } from '@vitest/runner'
import { getTests } from '@vitest/runner/utils'
import type { TestError } from '@vitest/utils'
import type { TestLine } from './test-line.js'

const [file = '', results = ''] = process.argv.slice(2)

/** Ends what hangs. Vitest's own limit is longer, because it measures a busy machine. */
const LIMIT_MS = 60_000

const config: VitestRunner['config'] = {
  root: process.cwd(),
  setupFiles: [],
  name: undefined,
  passWithNoTests: false,
  testNamePattern: undefined,
  allowOnly: false,
  sequence: { seed: 1, hooks: 'stack', setupFiles: 'list' },
  chaiConfig: undefined,
  maxConcurrency: 5,
  testTimeout: LIMIT_MS,
  hookTimeout: LIMIT_MS,
  retry: 0,
  includeTaskLocation: undefined,
  tags: [],
  tagsFilter: undefined,
  strictTags: false,
}

const runner: VitestRunner = {
  config,
  pool: 'none',
  importFile: (path) => import(pathToFileURL(path).href),
  onCollected: (files) =>
    write({ name: String(getTests(files).length), state: 'collected', message: '' }),
  onAfterRunTask: writeTest,
}
const written = new Set<Test>()

function writeTest(test: Test): void {
  if (written.has(test)) return
  written.add(test)
  write(lineOf(test))
}

function write(line: TestLine): void {
  appendFileSync(results, `${JSON.stringify(line)}\n`)
}

function lineOf({ name, mode, result }: Test): TestLine {
  const isSkipped = mode === 'skip' || mode === 'todo' || result?.state === 'skip'
  if (isSkipped) return { name, state: 'skipped', message: '' }
  const { state, errors = [] } = result ?? {}
  return {
    name,
    state: state === 'pass' ? 'passed' : 'failed',
    message: errors.map(textOf).join('\n'),
  }
}

function textOf({ name, message, stack = '' }: TestError): string {
  return `${name}: ${message}\n${stack}`
}

// `expect` and `vi` read the state that a process of Vitest has.
Object.assign(globalThis, {
  __vitest_worker__: {
    config: { expect: { poll: { timeout: LIMIT_MS / 2 } }, snapshotOptions: { expand: false } },
    filepath: file,
    providedContext: {},
    metaEnv: process.env,
  },
})
// The channel of a process of Vitest keeps it running while a test waits for nothing that does.
setInterval(() => {}, 2 ** 30)
// A test runner does not end when the code of a test throws after the test.
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error: unknown) => {
    if (process.listenerCount(event) === 1) process.stderr.write(`${event}: ${String(error)}\n`)
  })
}

const [ran] = await startTests([file], runner)
// Skipped tests, which have not run.
if (ran !== undefined) getTests(ran).forEach(writeTest)
// An error outside of tests: an import that failed, or a hook.
for (const error of ran?.result?.errors ?? []) {
  write({ name: '', state: 'broken', message: textOf(error) })
}
process.exit(0)
