import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dialect } from './compile-journeys.js'
import type { Runtime } from './runtimes.js'
import type { TestLine } from './test-line.js'

/** Ends a file that hangs. A test in it has a shorter limit, see `run-file.ts`. */
const FILE_LIMIT_MS = 300_000

/** The result of one file of tests. */
export interface FileResult {
  readonly file: string
  readonly passed: number
  readonly skipped: number
  /** The errors of each test that failed, and of each that the process did not reach. */
  readonly failures: readonly string[]
  /** The number of tests; `null` if the file could not be loaded. */
  readonly total: number | null
}

/** Runs files of a compiled folder under a runtime, each in a process of its own. */
export async function runJourneys(
  runtime: Runtime,
  { folder, files, dialect }: { folder: string; files: readonly string[]; dialect: Dialect },
): Promise<FileResult[]> {
  const results = mkdtempSync(join(tmpdir(), 'blazon-runtimes-'))
  const left = files.map((file, index) => ({ file, out: join(results, `${index}.jsonl`) }))
  const done: FileResult[] = []
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { file, out } = next
      const compiled = join(folder, file.replace(/ts$/, 'js'))
      const ended = await runFile(runtime, { folder, dialect, args: [compiled, out] })
      done.push(resultOf(file, out, ended))
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  rmSync(results, { recursive: true, force: true })
  return done.sort((a, b) => a.file.localeCompare(b.file))
}

interface FileRun {
  readonly folder: string
  readonly dialect: Dialect
  readonly args: readonly string[]
}

/** Runs one file. Resolves with the reason why the process ended. */
function runFile(runtime: Runtime, { folder, dialect, args }: FileRun): Promise<string> {
  const script = join(folder, 'test/runtimes/run-file.js')
  const env = { ...process.env, BLAZON_DIALECT: dialect, NO_COLOR: '1', TEST: 'true' }
  const settings = { cwd: folder, env, timeout: FILE_LIMIT_MS, maxBuffer: 64 << 20 } as const
  return new Promise((resolve) => {
    execFile(
      runtime.binary,
      [...runtime.args, script, ...args],
      { ...settings, killSignal: 'SIGKILL' },
      (error, _stdout, stderr) => {
        if (error === null) resolve('The process ended before the test.')
        else if (error.killed) resolve('The process did not end.')
        else resolve(`The process ended with ${error.signal ?? error.code}.\n${stderr}`)
      },
    )
  })
}

function resultOf(file: string, out: string, ended: string): FileResult {
  const text = existsSync(out) ? readFileSync(out, 'utf8') : ''
  const lines = text
    .split('\n')
    .flatMap((line): TestLine[] => (line === '' ? [] : [JSON.parse(line)]))
  const of = (state: TestLine['state']) => lines.filter((line) => line.state === state)
  const [collected] = of('collected')
  const [passed, skipped] = [of('passed').length, of('skipped').length]
  const failed = of('failed').map(({ name, message }) => `${name}\n${message}`)
  const broken = of('broken').map(({ message }) => message)
  const total = collected === undefined ? null : Number(collected.name)
  const unreached = Math.max(0, (total ?? 0) - passed - skipped - failed.length)
  const reason = broken.join('\n') || ended
  // A file that could not be loaded has one failure here; `report.ts` knows its number of tests.
  const missing = Array.from({ length: total ? unreached : 1 }, () => reason)
  return { file, passed, skipped, failures: [...failed, ...missing], total: total || null }
}
