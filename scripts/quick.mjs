// npm run quick: checks the format and the types, and runs the tests for all changes since the last commit, or since
// `-- --since <commit>`.
//
// Types are checked only for `src/` and these tests. If there are many tests, only the tests that are most closely
// related to the changes run. `npm test` checks everything.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { testsFor } from './tests-for.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { since: { type: 'string', default: 'HEAD' } } })

/** The maximum number of tests. This many tests take less than half a minute. */
const MOST_TESTS = 30

const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

/** Returns the files that differ from the commit, and new files that git does not ignore. */
function changedFiles() {
  const changed = git('diff', '--name-only', '--diff-filter=d', values.since)
  return [...new Set([...changed, ...git('ls-files', '--others', '--exclude-standard')])]
}

/**
 * Returns the changed tests first, then the tests for changed sources. The most closely related test of each source
 * comes before the second test of any other source.
 */
function testsOf(changed) {
  const own = changed.filter((path) => /^test\/.*\.test\.ts$/.test(path))
  const lists = changed.map(testsFor)
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  const others = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? []))
  const short = others.flat().filter((path) => !path.includes('.long.'))
  return [...new Set([...own, ...short])]
}

/**
 * Writes a configuration that checks `src/`, the changed test files, and the tests that run. It excludes the files that
 * have their own configuration: those that test/tsconfig.json excludes, and the page of the dashboard.
 */
function writeConfig(files) {
  const folder = join(root, '.cache', 'quick')
  mkdirSync(folder, { recursive: true })
  const config = join(folder, 'tsconfig.json')
  const include = ['src', ...files].map((path) => `../../${path}`)
  const ofTests = JSON.parse(readFileSync(join(root, 'test/tsconfig.json'), 'utf8')).exclude
  const excluded = ['src/cli/dev/dashboard/page', ...ofTests.map((path) => `test/${path}`)]
  const exclude = excluded.map((path) => `../../${path}`)
  writeFileSync(config, JSON.stringify({ extends: '../../test/tsconfig.json', include, exclude }))
  return config
}

/** Runs a program from `node_modules`. @returns Whether it succeeded. */
function run(program, ...args) {
  const child = spawn(process.execPath, [join(root, 'node_modules', program), ...args], {
    cwd: root,
    stdio: 'inherit',
  })
  return new Promise((done) => child.on('close', (status) => done(status === 0)))
}

const changed = changedFiles().filter((path) => existsSync(join(root, path)))
const related = testsOf(changed)
const tests = related.slice(0, MOST_TESTS)
const typed = changed.filter((path) => /^test\/.*\.ts$/.test(path))
console.log(
  `${changed.length} changed files, ${related.length} tests for them, of which ${tests.length} run.`,
)

const checks = [
  run('typescript/bin/tsc', '-p', writeConfig([...new Set([...typed, ...tests])]), '--pretty'),
  changed.length === 0
    ? true
    : run('@biomejs/biome/bin/biome', 'check', '--no-errors-on-unmatched', ...changed),
  tests.length === 0 ? true : run('vitest/vitest.mjs', 'run', ...tests, '--passWithNoTests'),
]
const passed = await Promise.all(checks)
process.exitCode = passed.every(Boolean) ? 0 : 1
