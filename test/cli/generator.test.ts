import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { root } from '../root.js'
import { COMPILED_CONTROLLER, MAIN, Project } from './project.js'

let project: Project

afterEach(() => project.remove())

/** A stand-in for openapi-typescript 7, which needs the compiler API that TypeScript 7 does not have. */
const GENERATOR = {
  'node_modules/openapi-typescript/package.json': { name: 'openapi-typescript', main: 'index.cjs' },
  'node_modules/openapi-typescript/index.cjs': `
    const ts = require('typescript')
    if (ts.factory === undefined) throw new Error('ts.factory is undefined')
    exports.default = async (document) => Object.keys(document.paths)
    exports.astToString = (nodes) => 'export type Paths = "' + nodes + '" // by ' + ts.version
  `,
}

function projectWith(typescript: Record<string, string>): Project {
  const devDependencies = Object.fromEntries(
    Object.keys(typescript).map((name) => [name, 'npm:typescript']),
  )
  project = new Project([]).write({
    'package.json': {
      type: 'module',
      devDependencies: { ...devDependencies, 'openapi-typescript': '^7' },
    },
    'src/users-controller.js': COMPILED_CONTROLLER,
    'src/app.js': MAIN,
    ...GENERATOR,
  })
  for (const [name, target] of Object.entries(typescript)) {
    project.install(name, join(root, 'node_modules', target))
  }
  return project
}

const exportClient = (kind = 'typescript') =>
  project.run(['openapi', 'export', '--out', '-', '--client', kind, '--client-out', 'types.ts'])

const BY_GENERATOR = /^\/\*\* .*\nexport type Paths = "\/users\/\{id\}" \/\/ by /

describe('--client typescript in a project with openapi-typescript', () => {
  it.each([
    ['TypeScript 5', { typescript: 'typescript-5' }, '5'],
    [
      'TypeScript 7 and 6 under another name',
      { typescript: 'typescript', old: 'typescript-6' },
      '6',
    ],
    [
      'TypeScript 7 and the official 6 beside it',
      { typescript: 'typescript', '@typescript/typescript6': 'typescript-6' },
      '6',
    ],
  ])('uses it to write the types, with %s', async (_, typescript, version) => {
    projectWith(typescript)
    const stderr = expect.stringContaining('types only, written by the openapi-typescript')
    expect(await exportClient()).toMatchObject({ status: 0, stderr })
    expect(project.read('types.ts')).toMatch(BY_GENERATOR)
    expect(project.read('types.ts')).toContain(`// by ${version}.`)
  })

  it('explains why it writes the built-in client when only TypeScript 7 is installed', async () => {
    projectWith({ typescript: 'typescript' })
    const outcome = await exportClient()
    expect(outcome).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(
        'openapi-typescript does not work with TypeScript 7. It works with TypeScript 5 and 6.',
      ),
    })
    const { stderr } = outcome
    expect(stderr).toContain('`npm install --save-dev @typescript/typescript6`')
    expect(stderr).toContain(
      '"overrides": { "openapi-typescript": { "typescript": "$typescript" } }',
    )
    expect(stderr).not.toContain('legacy-peer-deps')
    expect(project.read('types.ts')).toContain('export function createClient(')
  })

  it('ignores a generator that only another package has installed', async () => {
    projectWith({ typescript: 'typescript-5' }).write({ 'package.json': { type: 'module' } })
    expect(await exportClient()).toMatchObject({ status: 0 })
    expect(project.read('types.ts')).toContain('export function createClient(')
  })

  it('writes the built-in client for --client fetch', async () => {
    projectWith({ typescript: 'typescript-5' })
    expect(await exportClient('fetch')).toMatchObject({ status: 0 })
    expect(project.read('types.ts')).toContain('export function createClient(')
  })

  it('fails when the generator fails, and writes nothing', async () => {
    projectWith({ typescript: 'typescript-5' }).write({
      'node_modules/openapi-typescript/index.cjs': "throw new Error('broken')",
    })
    expect(await exportClient()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('openapi-typescript failed.\n  broken\n'),
    })
    expect(project.has('types.ts')).toBe(false)
  })
})
