import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifestOf } from '../../src/cli/new/manifest.js'
import { mistakesIn, reportOf } from './checked-project.js'
import { compareAll, exchangesOf, type Variables } from './conversation.js'
import { blocksOf, read, root } from './markdown.js'
import { endAll, firstLine, start, urlIn } from './servers.js'
import { clear, FOLDER, outputOf, pathsOfBuild, runTypeScript, writeConfig } from './snippets.js'
import { installedPackages, steps, writeProject } from './tutorial.js'

const STEPS = steps()
const folderOf = (document: string) => join(FOLDER, 'tutorial', document.replace(/\W/g, '-'))

beforeAll(() => {
  clear('tutorial')
  for (const step of STEPS) writeProject(folderOf(step.document), step)
})
afterAll(endAll)

describe.each(STEPS)('the project of $document', ({ document, shown }) => {
  const folder = folderOf(document)

  it('includes more than three files from the page', () => {
    expect(shown.length).toBeGreaterThan(3)
  })

  it('compiles', async () => {
    expect(await mistakesIn(folder)).toBe('')
  })

  it('responds as shown on the page', async () => {
    const exchanges = exchangesOf(read(document))
    if (exchanges.length === 0) {
      // A page about tests shows no request.
      expect(document).toBe('docs/tutorial/2-tests.md')
      return
    }
    const main = join(folder, 'src/main.ts')
    const text = readFileSync(main, 'utf8')
    writeFileSync(main, text.replace('listen(3000', 'listen(0'))
    const child = start(main, { DATABASE_FOLDER: 'memory' })
    const origin = new URL(urlIn(await firstLine(child))).origin
    await compareAll(exchanges, { 3000: origin }, await tokensOf(document))
  })
})

/** The tokens that a page sets as variables of the shell. */
async function tokensOf(document: string): Promise<Variables> {
  const config = writeConfig('tutorial', 'standard', pathsOfBuild())
  const tokens: Record<string, string> = {}
  const lines = blocksOf(document).flatMap(({ info, text }) =>
    info === 'sh' ? text.split('\n') : [],
  )
  for (const line of lines) {
    const [, variable, script, tenant] =
      /^(\w+)=\$\(node --import tsx (\S+) (\w+)\)$/.exec(line) ?? []
    if (variable === undefined) continue
    const file = join(folderOf(document), String(script))
    const printed = await outputOf(runTypeScript(file, { config, args: [String(tenant)] }))
    tokens[variable] = printed.trim()
  }
  return tokens
}

const TESTED = STEPS.filter(({ files }) =>
  [...files.keys()].some((path) => path.startsWith('test/')),
)

it('every page after the first one has tests', () => {
  expect(TESTED).toEqual(STEPS.slice(1))
})

/** It sends many requests. */
const ISOLATION = 'test/isolation.test.ts'

// The last page has the tests of the template `saas` (see below), which run with the other templates.
it.each(TESTED.slice(0, -1))('the tests of $document pass', async ({ document, files }) => {
  const report = await reportOf(folderOf(document), 'standard', [ISOLATION])
  expect(report.failures).toEqual([])
  const written = [...files].flatMap(([path, text]) =>
    path.startsWith('test/') && path !== ISOLATION ? (text.match(/^ *it\(/gm) ?? []) : [],
  )
  expect(report.passed).toBe(written.length)
})

describe('the project on the last page', () => {
  const files = STEPS.at(-1)?.files as ReadonlyMap<string, string>
  const inTemplate = (folder: string) =>
    readdirSync(join(root, 'templates', folder), { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => statSync(join(root, 'templates', folder, name)).isFile())

  it('has the code of the template saas', () => {
    const code = inTemplate('saas').filter((path) => /^(src|test|migrations|scripts)\//.test(path))
    expect(code.length).toBeGreaterThan(8)
    const expected = code.map((path) => [
      path,
      read(`templates/saas/${path}`).replaceAll('project-name', 'notes'),
    ])
    expect([...files].filter(([path]) => code.includes(path)).sort()).toEqual(expected.sort())
    expect(code).toContain(ISOLATION)
  })

  it('has the settings of the templates, and the page names the files that it omits', () => {
    const rest = ['common', 'container', 'saas'].flatMap((folder) =>
      inTemplate(folder).map((path) => [folder, path] as const),
    )
    const last = read('docs/tutorial/5-production.md')
    for (const [folder, path] of rest) {
      const name = path.replace(/^_/, '.')
      if (/^(src|test|migrations|scripts)\//.test(name)) continue
      if (files.has(name)) expect(files.get(name)).toBe(read(`templates/${folder}/${path}`))
      else if (name !== '.dockerignore') expect(last).toContain(`\`${name}\``)
    }
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['tsconfig.json', 'tsconfig.build.json', 'vitest.config.ts']),
    )
  })

  it('installs the packages of the template', () => {
    const facts = {
      name: 'notes',
      template: 'saas',
      decorators: 'standard',
      test: 'vitest',
      pm: 'npm',
      source: '^0.1.0',
      jobs: false,
    } as const
    const own = JSON.parse(read('package.json'))
    const manifest = JSON.parse(manifestOf(facts as never, own))
    const wanted = { ...manifest.dependencies, ...manifest.devDependencies }
    expect(installedPackages(STEPS).sort()).toEqual(Object.keys(wanted).sort())
  })
})
