import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { builtPackage } from './built-package.js'

const dist = join(builtPackage(), 'dist')

interface Coverage {
  readonly result: readonly { readonly url: string }[]
}

/** The files that a run of the command loads: the package's own, relative to `dist/`, and the packages of others. */
function loadedBy(...args: string[]): { own: string[]; packages: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-loaded-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // Node writes down all scripts that V8 has compiled, whoever has imported them.
  const env = { ...process.env, NODE_V8_COVERAGE: folder, NODE_OPTIONS: '' }
  execFileSync(process.execPath, [join(dist, 'cli/main.js'), ...args], { env, stdio: 'pipe' })
  const scripts = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage
    return result.flatMap(({ url }) => (url.startsWith('file:') ? [fileURLToPath(url)] : []))
  })
  const isOwn = (path: string) => path.startsWith(dist)
  const packages = scripts.flatMap((path) => (isOwn(path) ? [] : [packageOf(path)]))
  return {
    own: scripts
      .filter(isOwn)
      .map((path) => relative(dist, path))
      .sort(),
    packages: [...new Set(packages)].sort(),
  }
}

function packageOf(path: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path
}

/** What the names, options and texts of all commands need. */
const DECLARATIONS = [
  'chunks/cli-error.js',
  'chunks/new-options.js',
  'chunks/part-name.js',
  'cli/main.js',
]

describe('only the declarations of commands are loaded', () => {
  it.each(['--help', '--version', 'db --help', 'openapi export --help', 'new --help'])(
    'by blazon %s',
    (args) => {
      expect(loadedBy(...args.split(' '))).toEqual({
        own: DECLARATIONS,
        packages: ['commander'],
      })
    },
  )
})

it('the command line loads the modules of the command that runs', () => {
  const { own, packages } = loadedBy('db', 'table', 'notes')
  expect(own).toEqual(expect.arrayContaining(DECLARATIONS))
  expect(own.length).toBeGreaterThan(DECLARATIONS.length)
  expect(packages).not.toContain('yaml')
})
