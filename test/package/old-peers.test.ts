import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PEER_FLOORS, type Peer } from '../../src/errors/peer-floor.js'
import { packPackage } from '../house/packed-package.js'
import { PEER_USES, PLAIN_USE, runUse } from '../house/peer-uses.js'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  peerDependencies: Record<string, string>
}
const INSTALL_MS = 900_000

/** The oldest release that a range accepts: `>=0.3` gives `0.3.0`. */
function oldestOf(range: string): string {
  const [major = '0', minor = '0', patch = '0'] = range.replace('>=', '').split('.')
  return [major, minor, patch].join('.')
}

const API = '@opentelemetry/api'
const { typeorm = '', [API]: api = '', zod: _any, ...others } = peerDependencies
const oldest = Object.fromEntries(
  Object.entries(others).map(([name, range]) => [name, oldestOf(range)]),
)

/**
 * Two applications, because the oldest TypeORM does not go with the oldest pg and the oldest redis, and the oldest API of
 * OpenTelemetry not with the oldest Drizzle.
 */
const APPLICATIONS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  [
    'the oldest peer dependencies, except TypeORM and the OpenTelemetry API',
    { ...oldest, zod: '3.0.0' },
  ],
  [
    'the oldest TypeORM and the oldest API of OpenTelemetry',
    { typeorm: oldestOf(typeorm), [API]: oldestOf(api), pg: '8.11.0', redis: '3.1.1' },
  ],
]

const tarball = packPackage()
afterAll(() => rmSync(dirname(tarball), { recursive: true, force: true }))

/** Installs as npm does by default, whatever the settings of this machine are. */
async function install(cwd: string): Promise<void> {
  const quietly = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  const strictly = ['--legacy-peer-deps=false', '--force=false']
  await promisify(execFile)('npm', ['install', ...quietly, ...strictly], { cwd })
}

describe.each(APPLICATIONS)('an application with %s', (_, versions) => {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-old-peers-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const write = (files: Readonly<Record<string, string | object>>) => {
    for (const [path, content] of Object.entries(files)) {
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      writeFileSync(join(folder, path), text)
    }
  }

  beforeAll(async () => {
    const dependencies = { ...versions, blazon: `file:${tarball}` }
    write({ 'package.json': { name: 'old-peers', private: true, dependencies } })
    await install(folder)
  }, INSTALL_MS)

  it('has these versions installed', () => {
    for (const [name, version] of Object.entries(versions)) {
      const path = join(folder, 'node_modules', name, 'package.json')
      expect(JSON.parse(readFileSync(path, 'utf8')).version, name).toBe(version)
    }
  })

  it('boots without errors', async () => {
    expect(await runUse(PLAIN_USE, folder)).toBe('booted\n')
  })

  const used = Object.keys(versions).filter((name): name is Peer => name in PEER_USES)
  it.each(used)('fails as soon as it uses a feature that needs a newer %s', async (name) => {
    const use = PEER_USES[name]
    // The code that loads two packages refuses the first.
    const refused = use.after ?? name
    const { 'package.json': _listed, ...files } = use.files ?? {}
    write(files)
    const text = await runUse(use, folder)
    expect(text).toContain(use.report ?? 'ConfigError: ')
    expect(text).toContain(`The installed version of ${refused} is ${versions[refused]}.`)
    expect(text).toContain(`The oldest supported version is ${PEER_FLOORS[refused]}.`)
  })
})
