import { execFile } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PEER_FLOORS, type Peer } from '../../src/errors/peer-floor.js'
import { builtPackage } from '../cli/built-package.js'
import { Project } from '../cli/project.js'
import { root } from './sources.js'

const run = promisify(execFile)
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const peers = Object.keys(PEER_FLOORS) as Peer[]

/** A version before the floor by one in the last number that is not 0: `6.0.0` gives `5.99.99`, `8.23.0` gives `8.22.99`. */
function before(floor: string): string {
  const numbers = floor.split('.').map(Number)
  const at = numbers.findLastIndex((number) => number > 0)
  return numbers.map((number, i) => (i < at ? number : i === at ? number - 1 : 99)).join('.')
}

describe('peer dependencies', () => {
  it('have an oldest version that package.json allows and the documentation names', () => {
    const table = readFileSync(join(root, 'docs/supply-chain.md'), 'utf8')
    for (const name of peers) {
      const range = manifest.peerDependencies[name]
      expect(table, name).toContain(`| \`${name}\` | \`${range}\` | ${PEER_FLOORS[name]} |`)
      expect(manifest.peerDependenciesMeta[name], name).toEqual({ optional: true })
      const [major = 0, minor = 0] = (/^>=(.*)$/.exec(range)?.[1] ?? '0').split('.').map(Number)
      const [floorMajor = 0, floorMinor = 0] = PEER_FLOORS[name].split('.').map(Number)
      expect(major * 1000 + minor, name).toBeLessThanOrEqual(floorMajor * 1000 + floorMinor)
    }
    expect(peers.length).toBeGreaterThan(10)
  })

  it('do not prevent the installation beside an older pg or TypeORM', () => {
    expect(manifest.peerDependencies).toMatchObject({ pg: '>=8', typeorm: '>=0.3' })
  })
})

/** Code that uses a peer dependency. */
const USES: Partial<Record<Peer, string>> = {
  pg: `await start({ plugins: [(await import('blazon/postgres')).postgres({ url: 'postgres://127.0.0.1:1/x' })] })`,
  '@electric-sql/pglite': `await start({ plugins: [(await import('blazon/postgres')).postgres({ embedded: 'memory' })] })`,
  'drizzle-orm': `
    const { Database, provideDrizzle } = await import('blazon/postgres')
    await provideDrizzle(class Orm {}).useFactory(null)`,
  redis: `await start({ cache: { store: (await import('blazon/redis')).redisCache({ url: 'redis://127.0.0.1:1' }) } })`,
  typeorm: `await start({ plugins: [(await import('blazon/typeorm')).typeorm({ type: 'sqljs' })] })`,
  vite: `await lower()`,
  esbuild: `await lower()`,
  supertest: `await (await import('blazon/testing')).TestApp.create({ controllers: [] })`,
  'fast-check': `
    const { TestApp } = await import('blazon/testing')
    const app = await TestApp.create({ controllers: [Users] })
    await app.fuzz()`,
  'swagger-ui-dist': `await start({ swagger: {} })`,
}

/** The beginning of each program that uses a peer dependency. */
const PRELUDE = `
  import { App, Controller, Get } from 'blazon'
  class Users { list() { return [1] } }
  Get()(Users.prototype, 'list', Object.getOwnPropertyDescriptor(Users.prototype, 'list'))
  Controller('users')(Users)
  async function start(options) {
    const app = new App({ controllers: [Users], logger: false, ...options })
    try { await app.init() } finally { await app.close().catch(() => {}) }
  }
  async function lower() {
    const plugin = (await import('blazon/vite')).blazon()
    plugin.configResolved({ root: process.cwd() })
    await plugin.transform.handler('@d class A {}', process.cwd() + '/a.ts')
  }`

describe('a peer dependency', () => {
  const needed = Object.keys(manifest.dependencies).filter((name) => !name.startsWith('@types/'))
  const project = new Project([...needed, 'superagent'])
  afterAll(() => project.remove())

  beforeAll(() => {
    // A copy, because Node would follow a link to the folder of all packages.
    for (const name of peers) {
      const folder = `old/${name.replace('/', '+')}`
      cpSync(builtPackage(), project.path(`${folder}/node_modules/blazon`), { recursive: true })
    }
  })

  /** Writes a package of that version, and the packages that the code loads before it. */
  function plant(name: Peer, version: string): string {
    const folder = `old/${name.replace('/', '+')}`
    const write = (peer: string, planted: string) =>
      project.write({
        [`${folder}/node_modules/${peer}/package.json`]: {
          name: peer,
          version: planted,
          main: 'main.js',
        },
        [`${folder}/node_modules/${peer}/main.js`]: 'module.exports = {}',
      })
    write(name, version)
    if (name === 'esbuild') write('vite', PEER_FLOORS.vite)
    if (name === 'fast-check') write('supertest', PEER_FLOORS.supertest)
    if (name === 'swagger-ui-dist')
      project.write({ [`${folder}/node_modules/${name}/swagger-ui-bundle.js`]: '' })
    return project.path(folder)
  }

  /** The text of the error that a program throws. */
  async function thrownBy(use: string, cwd: string): Promise<string> {
    const code = `${PRELUDE}
      try { ${use} } catch (error) { console.log(error.name + ': ' + error.message) }
      process.exit(0)`
    const args = ['--input-type=module', '--eval', code]
    return (await run(process.execPath, args, { cwd })).stdout
  }

  it.each(Object.entries(USES) as [Peer, string][])(
    'is refused if it is older than its oldest supported version: %s',
    async (name, use) => {
      const version = before(PEER_FLOORS[name])
      const text = await thrownBy(use, plant(name, version))
      expect(text).toContain('ConfigError: ')
      expect(text).toContain(`The installed ${name} is ${version}.`)
      expect(text).toContain(`The oldest version that works is ${PEER_FLOORS[name]}.`)
      expect(text).toContain(`npm install ${name}@latest`)
    },
  )

  it('is not refused if it has its oldest supported version', async () => {
    const cwd = plant('redis', PEER_FLOORS.redis)
    const text = await thrownBy(USES.redis as string, cwd)
    expect(text).not.toContain('The oldest version that works')
  })
})
