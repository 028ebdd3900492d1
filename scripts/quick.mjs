// npm run quick: format, types, and the tests of what has changed since the last commit, or since `-- --since <commit>`.
//
// Types are checked for `src/` and these tests only, and of many tests the nearest to the changes run: `npm test` does the rest.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { testsFor } from './tests-for.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { since: { type: 'string', default: 'HEAD' } } })

/** As many as take less than half a minute; a process of its own, which a long test needs, counts for the others, too. */
const MOST_TESTS = 30

const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

/** Files that differ from the commit, and new ones that git does not ignore. */
function changedFiles() {
  const changed = git('diff', '--name-only', '--diff-filter=d', values.since)
  return [...new Set([...changed, ...git('ls-files', '--others', '--exclude-standard')])]
}

/** Changed tests first, then those of changed sources: the nearest of each source before the second nearest of another. */
function testsOf(changed) {
  const own = changed.filter((path) => /^test\/.*\.test\.ts$/.test(path))
  const lists = changed.map(testsFor)
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  const others = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? []))
  const short = others.flat().filter((path) => !path.includes('.long.'))
  return [...new Set([...own, ...short])]
}

/** A configuration that checks `src/`, the changed files of tests, and the tests that run. */
function writeConfig(files) {
  const folder = join(root, '.cache', 'quick')
  mkdirSync(folder, { recursive: true })
  const config = join(folder, 'tsconfig.json')
  const include = ['src', ...files].map((path) => `../../${path}`)
  writeFileSync(
    config,
    JSON.stringify({ extends: '../../test/tsconfig.json', include, exclude: [] }),
  )
  return config
}

/** Runs a program of `node_modules`. @returns Whether it succeeded. */
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
const typed = changed.filter((path) => /^test\/.*\.ts$/.test(path) && !path.includes('.legacy.'))
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
