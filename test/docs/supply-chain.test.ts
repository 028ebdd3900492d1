import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { read, root } from './markdown.js'

/** A package in the lock file, by its folder; the root has an empty one. */
interface Locked {
  readonly license?: string
  readonly hasInstallScript?: boolean
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Needed {
  readonly folders: Set<string>
  readonly ranges: Set<string>
  readonly licences: Set<string>
  readonly by: Set<string>
}

/** Licences that ask for no more than to be named. */
const LICENCES = ['MIT', 'ISC', 'BSD-3-Clause', 'BlueOak-1.0.0']
/** What npm runs of a package that is installed. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall']

const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const { packages } = json('package-lock.json') as { packages: Record<string, Locked> }
const own = json('package.json')
const page = read('docs/supply-chain.md')

/** The folder in which Node finds a package, asked for in another's. */
function findFolder(name: string, from: string): string {
  const own = join(from, 'node_modules', name)
  if (packages[own] !== undefined) return own
  if (from === '') throw new Error(`${name} is needed, and not locked`)
  return findFolder(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
}

/** Everything that `dependencies` lead to, by name. */
function closure(): Map<string, Needed> {
  const all = new Map<string, Needed>()
  const seen = new Set<string>()
  const walk = (from: string) => {
    if (seen.has(from)) return
    seen.add(from)
    const { dependencies, optionalDependencies } = packages[from] as Locked
    for (const [name, range] of Object.entries({ ...dependencies, ...optionalDependencies })) {
      const folder = findFolder(name, from)
      const fresh = {
        folders: new Set<string>(),
        ranges: new Set<string>(),
        licences: new Set<string>(),
        by: new Set<string>(),
      }
      const needed = all.get(name) ?? fresh
      all.set(name, needed)
      needed.folders.add(folder)
      needed.ranges.add(range)
      needed.licences.add(packages[folder]?.license ?? 'none')
      needed.by.add(from.slice(from.lastIndexOf('node_modules/') + 'node_modules/'.length))
      walk(folder)
    }
  }
  walk('')
  return all
}

/** The rows of a table of the page, without its head. */
function rowsOf(heading: string): string[][] {
  const [, section = ''] = page.split(`## ${heading}\n`)
  const [text = ''] = section.split('\n## ')
  const lines = text.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) => line.slice(2, -2).split(' | '))
}

const code = (texts: Iterable<string>) =>
  [...texts]
    .sort()
    .map((text) => `\`${text}\``)
    .join(', ')
const all = closure()
const isDirect = (name: string) => Object.hasOwn(own.dependencies, name)
const nameOf = (cell = '') =>
  /^\[`(.+)`\]\(https:\/\/[\w./-]+\)$/.exec(cell)?.[1] ?? `no name and home: ${cell}`

describe('docs/supply-chain.md', () => {
  it('lists every dependency of package.json with its range, license, home page and purpose', () => {
    const expected = [...all].filter(([name]) => isDirect(name)).sort()
    const rows = rowsOf('Direct')
    expect(rows.map(([name, range, licence]) => [nameOf(name), range, licence])).toEqual(
      expected.map(([name, { licences }]) => [
        name,
        code([own.dependencies[name]]),
        [...licences].join(', '),
      ]),
    )
    for (const row of rows) expect(row[3]).toMatch(/\w/)
  })

  it('lists the indirect dependencies, and the packages that need them', () => {
    const expected = [...all].filter(([name]) => !isDirect(name)).sort()
    const rows = rowsOf('Transitive dependencies')
    expect(rows.map(([name, ...cells]) => [nameOf(name), ...cells.slice(0, 3)])).toEqual(
      expected.map(([name, { ranges, licences, by }]) => [
        name,
        code(ranges),
        [...licences].join(', '),
        code(by),
      ]),
    )
    for (const row of rows) expect(row[4]).toMatch(/\w/)
    expect(page).toContain(`the ${all.size} packages on this page`)
  })

  it('lists the peer dependencies, which are all optional', () => {
    const peers = Object.entries(own.peerDependencies as Record<string, string>).sort()
    expect(rowsOf('Optional peers').map(([name, range]) => [name, range])).toEqual(
      peers.map(([name, range]) => [code([name]), code([range])]),
    )
    for (const [name] of peers) expect(own.peerDependenciesMeta[name]).toEqual({ optional: true })
  })
})

describe('an installed dependency', () => {
  it.each([...all])(
    'has a permissive license and no install script: %s',
    (_, { folders, licences }) => {
      for (const licence of licences) expect(LICENCES).toContain(licence)
      for (const folder of folders) {
        expect(packages[folder]?.hasInstallScript).toBeUndefined()
        const { scripts = {}, license } = json(`${folder}/package.json`)
        expect(INSTALL_SCRIPTS.filter((name) => name in scripts)).toEqual([])
        expect(existsSync(join(root, folder, 'binding.gyp'))).toBe(false)
        if (license !== undefined) expect(LICENCES).toContain(license)
      }
    },
  )

  it('has a checksum', () => {
    const folders = [...all.values()].flatMap((each) => [...each.folders])
    for (const folder of folders) expect(packages[folder]?.integrity).toMatch(/^sha512-/)
  })
})

describe('the blazon package', () => {
  it('has no install script', () => {
    // `prepare` runs where somebody installs it from git.
    const names = [...INSTALL_SCRIPTS, 'preprepare', 'prepare', 'postprepare']
    expect(names.filter((name) => name in own.scripts)).toEqual([])
  })

  it('contains only the build, the documentation and the project templates', () => {
    const isWindows = process.platform === 'win32'
    const options = { cwd: root, encoding: 'utf8', shell: isWindows, stdio: 'pipe' } as const
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], options),
    ) as { files: { path: string }[] }[]
    const paths = packed?.files.map(({ path }) => path) ?? []
    const known =
      /^(?:dist\/.+\.(?:c?js|js\.map|d\.c?ts)|dist\/cli\/dev\/dashboard\/page\/page\.(?:css|html)|docs\/[\w-]+\.md|docs\/observability\/[\w-]+\.(?:yml|json)|templates\/(?!node_modules)(?:[\w-]+\/)+(?:_(?:gitignore|dockerignore|env\.example)|Dockerfile|[\w-]+(?:\.[\w-]+)*\.(?:ts|json|md|sh|sql|yaml|yml))|CHANGELOG\.md|SECURITY\.md|LICENSE|README\.md|package\.json)$/
    expect(paths.filter((path) => !known.test(path))).toEqual([])
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'docs/supply-chain.md']))
  })
})
