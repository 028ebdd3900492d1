import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './markdown.js'
import { outputOf, pathsOfBuild } from './snippets.js'

/** What the compiler prints about a project, with the built package. */
export async function mistakesIn(folder: string): Promise<string> {
  const compilerOptions = { paths: pathsOfBuild('.d.ts') }
  const project = join(folder, 'tsconfig.check.json')
  writeFileSync(project, JSON.stringify({ extends: './tsconfig.json', compilerOptions }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return await outputOf(spawn(process.execPath, [tsc, '-p', project], { cwd: root }))
}

/** Runs the tests of a project, with the built package, without those of some files. */
export async function reportOf(
  folder: string,
  dialect: 'standard' | 'legacy' = 'standard',
  without: readonly string[] = [],
): Promise<{ passed: number; failures: unknown[] }> {
  const config = join(folder, 'vitest.check.ts')
  writeFileSync(config, configOf(dialect))
  writeFileSync(join(folder, 'setup.check.ts'), SETUP)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--root', folder, '--config', config, '--reporter', 'json']
  for (const path of without) args.push('--exclude', path)
  const env = { ...process.env, REDIS_URL: '', NODE_OPTIONS: '', VITEST: '' }
  const output = await outputOf(spawn(process.execPath, args, { cwd: root, env }))
  const report = JSON.parse(output.slice(output.indexOf('{"numTotal')))
  const results = report.testResults.flatMap(
    (file: { assertionResults: { status: string }[] }) => file.assertionResults,
  )
  const failures = results.filter(({ status }: { status: string }) => status !== 'passed')
  return { passed: report.numPassedTests, failures }
}

const configOf = (
  dialect: string,
) => `import { project } from ${JSON.stringify(join(root, 'vitest.config.ts'))}
const { test, ...rest } = project('checked', { dialect: '${dialect}', include: ['test/**/*.test.ts'] })
const alias = Object.entries(${JSON.stringify(pathsOfBuild())}).map(([name, [replacement]]) => ({
  find: new RegExp('^' + name + '$'),
  replacement,
}))
export default { ...rest, resolve: { alias }, test: { ...test, setupFiles: ['setup.check.ts'], isolate: false } }
`
/** Each test of the pages makes a database. */
const SETUP = `import { startPgliteFromTemplate } from ${JSON.stringify(join(root, 'test/pglite-template.ts'))}
startPgliteFromTemplate()
`
