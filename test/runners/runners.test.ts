import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { root } from '../root.js'
import { findNode } from './find-node.js'
import { type Outcome, type RunOptions, runProject } from './run-project.js'

/** The number of tests in `shared/cases.ts`. */
const CASES = 4

interface Counts {
  readonly passed: number
  readonly failed: number
}

interface Runner {
  readonly project: string
  /** The major version of Node that it needs. */
  readonly node: number
  /** Its runs: one, or one for each dialect if a run compiles one dialect only. */
  readonly runs: readonly Omit<RunOptions, 'node' | 'env'>[]
  /** Counts the tests in its output. */
  readonly count: (output: string) => Counts
}

function countJson(output: string): Counts {
  const [, json = '{}'] = /^(\{.*\})$/m.exec(output) ?? []
  const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(json)
  return { passed, failed }
}

/** Vitest and Node's runner have this format in common. */
function countTap(output: string): Counts {
  const count = (pattern: RegExp) => output.match(pattern)?.length ?? 0
  return { passed: count(/^ok \d+ - .*:/gm), failed: count(/^not ok \d+ - .*:/gm) }
}

/** A runner that does not read the tsconfig of each file has a script for each dialect. */
const each = (run: Omit<RunOptions, 'node' | 'env'>) => [run, { ...run, script: 'test:legacy' }]

const vitest = { runs: [{ args: ['--reporter=tap-flat'] }], count: countTap }
const RUNNERS: readonly Runner[] = [
  { project: 'vitest-4', node: 20, ...vitest },
  { project: 'vitest-5', node: 22, ...vitest },
  { project: 'jest', node: 20, runs: each({ args: ['--json'] }), count: countJson },
  { project: 'node-test', node: 20, runs: each({}), count: countTap },
]

/** Runs all tests of a project, and adds up the counts. */
async function runAll({ project, node, runs, count }: Runner, env: Record<string, string> = {}) {
  const outcomes: Outcome[] = []
  for (const run of runs) {
    outcomes.push(await runProject(project, { ...run, node: findNode(node) as string, env }))
  }
  const counts = outcomes.map(({ output }) => count(output))
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
    statuses: outcomes.map(({ status }) => status),
    output: outcomes.map(({ output }) => output).join('\n'),
  }
}

describe.each(RUNNERS)('$project', (runner) => {
  const isMissing = findNode(runner.node) === null
  if (isMissing && process.env['CI'] !== undefined) {
    throw new Error(`${runner.project} needs Node ${runner.node}, which .ci/run fetches.`)
  }
  if (isMissing) {
    console.warn(`Skipped: ${runner.project} needs Node ${runner.node}; .ci/run fetches one.`)
  }

  it.skipIf(isMissing)('runs the tests in both dialects', async () => {
    const { output, ...result } = await runAll(runner)
    const statuses = runner.runs.map(() => 0)
    expect(result, output).toEqual({ passed: 2 * CASES, failed: 0, statuses })
  })

  it.skipIf(isMissing)('reports a failing test', async () => {
    const { output, ...result } = await runAll(runner, { PLANTED_FAILURE: '1' })
    const statuses = runner.runs.map(() => 1)
    expect(result, output).toEqual({ passed: 2 * CASES, failed: 2, statuses })
    expect(output).toContain('expected 404')
  })
})

describe('vitest-5 without the plugin', () => {
  const node = findNode(22)

  it.skipIf(node === null)('fails at the first decorator that Vite has not compiled', async () => {
    const { status, output } = await runProject('vitest-5', {
      node: node as string,
      args: ['--config=without-plugin.config.ts'],
    })
    expect(status).toBe(1)
    expect(output).toMatch(/standard\.test\.ts[\s\S]*SyntaxError: Invalid or unexpected token/)
    expect(output).toMatch(/4 passed/)
  })
})

describe('the projects of the test runners', () => {
  it.each(['tsconfig.json', 'legacy/tsconfig.json'])('compile (%s)', async (config) => {
    const project = join(fileURLToPath(new URL('.', import.meta.url)), config)
    const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', project, '--pretty', 'false']
    const run = promisify(execFile)(process.execPath, args).catch((error) => error)
    expect((await run).stdout).toBe('')
  })
})

describe('docs/testing.md', () => {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')

  it.each(['vitest-4/vitest.config.ts', 'vitest-5/vitest.config.ts', 'jest/jest.config.js'])(
    'shows the file %s',
    (path) => {
      const name = path.split('/').at(-1)
      expect(read('docs/testing.md')).toContain(`// ${name}\n${read(`test/runners/${path}`)}\`\`\``)
    },
  )
})
