import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'

/** How long one run may take. A defect may make a test wait for ever. */
const MOST_MS = 5 * 60_000
/** Those of `npm test`. */
const PROJECTS = ['standard', 'alone']

/** What Vitest writes with `--reporter json`. */
interface Report {
  readonly success: boolean
  readonly testResults: readonly { readonly name: string; readonly status: string }[]
}

/** The name of a failure that no test file has: an error that nothing has caught. */
export const OUTSIDE = 'an error outside of the tests'

/**
 * Runs tests of a tree up to the first failure. Returns the file that failed, or {@link OUTSIDE}; `null` if all pass.
 *
 * @param run The tests, the test files that are left out, and the projects of `vitest.config.ts`.
 * @throws Error if Vitest gives no report, or takes too long.
 */
export async function firstFailure(
  folder: string,
  run: {
    readonly tests: readonly string[]
    readonly excluded?: readonly string[]
    readonly projects?: readonly string[] | undefined
  },
): Promise<string | null> {
  const path = join(folder, '.cache', 'report.json')
  rmSync(path, { force: true })
  const { tests, excluded = [], projects = PROJECTS } = run
  const code = await runVitest(folder, [
    ...tests.filter((each) => !excluded.includes(each)),
    ...projects.flatMap((each) => ['--project', each]),
    ...['--bail', '1', '--reporter', 'json', '--outputFile', path],
  ])
  if (!existsSync(path)) throw new Error('Vitest gave no report.')
  const { success, testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report
  if (testResults.length === 0) throw new Error('No test ran.')
  const failed = testResults.find(({ status }) => status === 'failed')
  if (failed !== undefined) return relative(folder, failed.name).replaceAll('\\', '/')
  // An unhandled rejection is only in the exit code.
  return success && code === 0 ? null : OUTSIDE
}

async function runVitest(folder: string, args: readonly string[]): Promise<number | null> {
  const program = join(folder, 'node_modules/vitest/vitest.mjs')
  // A group of its own: programs that tests have started end with it.
  const env = { ...process.env, TEST_TIMEOUT: '20000' }
  const options = { cwd: folder, env, stdio: 'ignore', detached: true } as const
  const child = spawn(process.execPath, [program, 'run', ...args], options)
  const end = () => endGroup(child.pid)
  const timer = setTimeout(end, MOST_MS)
  process.once('exit', end)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  process.off('exit', end)
  end()
  return code
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All have ended.
  }
}
