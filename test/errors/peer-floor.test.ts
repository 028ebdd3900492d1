import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError } from 'blazon'
import { loadPeer, refuseOldPeer } from 'blazon/plugin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findOldPeer, PEER_FLOORS } from '../../src/errors/peer-floor.js'

let folder: string
let origin: string

/** Installs a package: its manifest alone. */
function install(name: string, manifest: object | string, below = folder): void {
  const place = join(below, 'node_modules', name)
  mkdirSync(place, { recursive: true })
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest)
  writeFileSync(join(place, 'package.json'), text)
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'blazon-peers-'))
  origin = join(folder, 'src', 'loads.js')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('findOldPeer', () => {
  it.each([
    // The same, and newer ones.
    ['1.9.3', '1.9.3', false],
    ['1.9.4', '1.9.3', false],
    ['1.10.0', '1.9.3', false],
    ['2.0.0', '1.9.3', false],
    ['10.0.0', '9.9.9', false],
    // A prerelease and a build count as their release.
    ['1.9.3-beta.1', '1.9.3', false],
    ['1.9.3+build.7', '1.9.3', false],
    ['2.0.0-rc.1', '1.9.3', false],
    ['2', '1.9.3', false],
    // Older ones.
    ['1.9.2', '1.9.3', true],
    ['1.9.2-beta.9', '1.9.3', true],
    ['1.8.9', '1.9.3', true],
    ['0.99.99', '1.9.3', true],
    ['9.9.9', '10.0.0', true],
    ['1.9', '1.9.3', true],
    // Numbers of a prerelease or a build are not part of the version.
    ['1.9-beta.7', '1.9.3', true],
    ['1.9+7', '1.9.3', true],
    ['1-9.9', '1.9.3', true],
    ['1.9.0-9', '1.9.3', true],
    // A floor of fewer numbers.
    ['1.9-beta.7', '1.9', false],
    ['1.9.0', '2', true],
    ['2.0.0', '2', false],
    ['2', '2.0.0', false],
    ['1.9', '1.9-rc.1', false],
  ])('compares the version %s with the minimum version %s', (version, floor, isOld) => {
    install('some-peer', { version })
    const cause = `The installed version of some-peer is ${version}. The oldest supported version is ${floor}.`
    const old = { cause, remedy: 'npm install some-peer@latest' }
    expect(findOldPeer('some-peer', origin, floor)).toEqual(isOld ? old : null)
  })

  it.each([
    ['is missing', undefined],
    ['has no version', {}],
    ['has a version that is not text', { version: 1 }],
    ['is not JSON', '{'],
  ])('returns null if the manifest %s', (_, manifest) => {
    rmSync(join(folder, 'node_modules', 'odd-peer'), { recursive: true, force: true })
    if (manifest !== undefined) install('odd-peer', manifest)
    expect(findOldPeer('odd-peer', origin, '9.0.0')).toBeNull()
  })

  it('reads the package that the module would load, which is the nearest one', () => {
    install('twice', { version: '1.0.0' })
    install('twice', { version: '2.0.0' }, join(folder, 'near'))
    expect(findOldPeer('twice', join(folder, 'near', 'loads.js'), '2.0.0')).toBeNull()
    expect(findOldPeer('twice', origin, '2.0.0')?.cause).toContain('is 1.0.0')
  })

  it('accepts a module URL and a scoped name, and skips a module without a location', () => {
    install('@scope/peer', { version: '1.0.0' })
    const { href } = pathToFileURL(origin)
    expect(findOldPeer('@scope/peer', href, '2.0.0')?.remedy).toBe('npm install @scope/peer@latest')
    expect(findOldPeer('@scope/peer', 'undefined', '2.0.0')).toBeNull()
  })

  it('compares a package that the framework uses with its oldest supported version', () => {
    install('redis', { version: '0.0.1' })
    install('unknown-peer', { version: '0.0.1' })
    expect(findOldPeer('redis', origin)?.cause).toContain(PEER_FLOORS.redis)
    expect(findOldPeer('unknown-peer', origin)).toBeNull()
  })
})

describe('refuseOldPeer', () => {
  it('throws a ConfigError that names the feature if the package is too old', () => {
    install('kafkajs', { version: '2.1.9' })
    const use = { subject: 'my-events', origin, floor: '2.2.0' }
    const problem = {
      code: 'E_PEER_MISSING',
      subject: 'my-events',
      cause: 'The installed version of kafkajs is 2.1.9. The oldest supported version is 2.2.0.',
      remedy: 'npm install kafkajs@latest',
    }
    let thrown: unknown
    try {
      refuseOldPeer('kafkajs', use)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ConfigError)
    expect((thrown as ConfigError).problems).toEqual([problem])
    expect(() => refuseOldPeer('kafkajs', { ...use, floor: '2.1.9' })).not.toThrow()
    expect(() => refuseOldPeer('no-such-peer', use)).not.toThrow()
  })
})

describe('loadPeer', () => {
  const use = { subject: 'my-events', origin: 'undefined' }

  it('returns the package', async () => {
    const loaded = { connect() {} }
    expect(await loadPeer('kafkajs', use, async () => loaded)).toBe(loaded)
  })

  it('throws an error with the name of a missing package and the command that installs it', async () => {
    const missing = new Error('Cannot find package')
    const failing = (command?: { readonly install: string }) =>
      loadPeer('kafkajs', { ...use, ...command }, () => Promise.reject(missing)).catch((e) => e)
    const error = await failing()
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.cause).toBe(missing)
    expect(error.problems).toEqual([
      {
        code: 'E_PEER_MISSING',
        subject: 'my-events',
        cause: 'It needs the package kafkajs, which cannot be loaded.',
        remedy: 'npm install kafkajs',
      },
    ])
    const [problem] = (await failing({ install: 'npm install kafkajs@2' })).problems
    expect(problem.remedy).toBe('npm install kafkajs@2')
  })

  it('does not load a package that is too old', async () => {
    install('kafkajs', { version: '2.1.9' })
    const old = { subject: 'my-events', origin, floor: '2.2.0' }
    const load = () => expect.unreachable('it was loaded')
    await expect(loadPeer('kafkajs', old, load)).rejects.toThrow(/is 2\.1\.9/)
  })
})
