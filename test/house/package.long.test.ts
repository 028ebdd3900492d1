import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { builtPackage } from '../cli/built-package.js'
import { root } from '../root.js'
import { packPackage, readTarball } from './packed-package.js'

/**
 * The maximal size of the packed package, in bytes. A feature of the package adds 10 to 20 kB, a third of which is its page in
 * `docs/`.
 */
const MAX_PACKED_BYTES = 1_070_000
/** The maximal size of the unpacked package, in bytes. */
const MAX_UNPACKED_BYTES = 3_500_000

/** The folders of the doors below `dist/`. */
const DOORS = [
  '',
  'integrations/api-keys/',
  'integrations/jobs/',
  'integrations/jwt/',
  'integrations/otel/',
  'integrations/postgres/',
  'integrations/redis/',
  'integrations/sessions/',
  'integrations/typeorm/',
  'integrations/vite/',
  'plugin/',
  'testing/',
]

const tarball = packPackage()
const files = readTarball(tarball)
const paths = files.map(({ path }) => path)
const inDist = paths.flatMap((path) => (path.startsWith('dist/') ? path.slice(5) : []))
const sum = (of: (path: string) => boolean) =>
  files.filter(({ path }) => of(path)).reduce((total, { bytes }) => total + bytes, 0)

afterAll(() => rmSync(dirname(tarball), { recursive: true, force: true }))

describe('the package', () => {
  it('contains only the build, the documentation and the templates', () => {
    const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
    expect(docs.length).toBeGreaterThan(10)
    const rest = paths.filter((path) => !path.startsWith('dist/'))
    const expected = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md']
    const ready = ['alerts.yml', 'dashboard.json'].map((name) => `docs/observability/${name}`)
    const own = [...expected, ...docs.map((name) => `docs/${name}`), ...ready]
    expect(rest.filter((path) => !path.startsWith('templates/')).sort()).toEqual(own.sort())
    const kinds =
      /^(index|shared|(plugin|testing|integrations\/[\w-]+)\/index|integrations\/postgres\/keeper\/main|cli\/[\w/-]+|chunks\/[\w-]+|commonjs)\.(js|cjs|d\.ts|d\.cts)$|^cli\/dev\/dashboard\/page\/page\.(css|html)$/
    expect(inDist.filter((path) => !kinds.test(path))).toEqual([])
  })

  it('contains all files of the templates of `blazon new`', () => {
    const packed = paths.filter((path) => path.startsWith('templates/'))
    const templates = readdirSync(join(root, 'templates'), { recursive: true, encoding: 'utf8' })
      .map((name) => `templates/${name.replaceAll('\\', '/')}`)
      .filter((name) => statSync(join(root, name)).isFile())
    expect(templates.length).toBeGreaterThan(10)
    expect(packed.sort()).toEqual(templates.sort())
  })

  it('has one file of types for each entry point, and one shared file', () => {
    const types = inDist.filter((path) => path.endsWith('.d.ts'))
    const doors = DOORS.map((folder) => `${folder}index.d.ts`)
    expect(types.sort()).toEqual([...doors, 'shared.d.ts'].sort())
    const forRequire = inDist.filter((path) => path.endsWith('.d.cts'))
    expect(forRequire.sort()).toEqual(DOORS.map((folder) => `${folder}index.d.cts`).sort())
  })

  it(`has at most ${MAX_PACKED_BYTES} bytes, and ${MAX_UNPACKED_BYTES} bytes unpacked`, () => {
    expect(statSync(tarball).size).toBeLessThanOrEqual(MAX_PACKED_BYTES)
    expect(sum(() => true)).toBeLessThanOrEqual(MAX_UNPACKED_BYTES)
  })

  it('can be read by every user of the machine', () => {
    expect(files.filter(({ mode }) => mode !== 0o644 && mode !== 0o755)).toEqual([])
    const executable = files.filter(({ mode }) => mode === 0o755).map(({ path }) => path)
    // Only the command line is run as a program.
    expect(executable).toEqual(['dist/cli/main.js'])
  })
})

const built = join(builtPackage(), 'dist')

describe('the folder of the build', () => {
  it('can be read by every user of the machine', () => {
    const names = ['.', ...readdirSync(built, { recursive: true, encoding: 'utf8' })]
    const hidden = names.filter((name) => {
      const stats = statSync(join(built, name))
      const isRun = stats.isDirectory() || name === 'cli/main.js'
      return (stats.mode & 0o777) !== (isRun ? 0o755 : 0o644)
    })
    expect(names.length).toBeGreaterThan(50)
    expect(hidden).toEqual([])
  })
})

describe('the docstrings', () => {
  it('are kept in the type declarations', () => {
    const shared = readFileSync(join(built, 'shared.d.ts'), 'utf8')
    expect(shared).toMatch(/\/\*\*[\s\S]{0,2000}?\*\/\s*declare class App\b/)
    expect(shared.match(/^declare class HttpError\b/gm)).toHaveLength(1)
    const testing = readFileSync(join(built, 'testing/index.d.ts'), 'utf8')
    expect(testing).toMatch(/@throws ConfigError[\s\S]+?static create\(/)
  })

  it('are removed from the JavaScript files', () => {
    const code = readFileSync(join(built, 'index.js'), 'utf8')
    expect(code.match(/^\s*\/\*\*/gm)).toBeNull()
  })
})

describe('an error stack from the package', () => {
  it('shows the names of functions, and precise line numbers', () => {
    const code =
      "import('./index.js').then(({ App }) => new App().get(App)).catch(({ stack }) => console.log(stack))"
    const stack = execFileSync(process.execPath, ['-e', code], { cwd: built, encoding: 'utf8' })
    expect(stack).toMatch(/at #started \(.+app\.js:\d{2,}:\d{1,3}\)\n\s+at App\.get \(/)
  })
})
