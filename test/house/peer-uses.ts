import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Peer } from '../../src/errors/peer-floor.js'

/** Code of an application that needs a peer dependency. */
export interface PeerUse {
  /** A program, which follows {@link PRELUDE}. */
  readonly program: string
  /** Files of the application, by path. */
  readonly files?: Readonly<Record<string, string | object>>
  /** Another peer dependency that the same code loads first. */
  readonly after?: Peer
  /** The text that begins the report of a version that is too old: `ConfigError: ` if it is not given. */
  readonly report?: string
}

const ENTRY = `
  import { App } from 'blazon'
  export const app = new App({ controllers: [] })`

/** A use of each peer dependency that has a floor. */
export const PEER_USES: Readonly<Record<Peer, PeerUse>> = {
  '@electric-sql/pglite': {
    program: `await start({ plugins: [(await import('blazon/postgres')).postgres({ embedded: 'memory' })] })`,
  },
  '@fastify/busboy': {
    program: `
      const { file, Upload } = await import('blazon')
      class Things { add() {} }
      const add = Object.getOwnPropertyDescriptor(Things.prototype, 'add')
      Post()(Things.prototype, 'add', add)
      Upload({ image: file() })(Things.prototype, 'add', add)
      Controller('things')(Things)
      await start({ controllers: [Things] })`,
  },
  '@opentelemetry/api': {
    program: `await start({ plugins: [(await import('blazon/otel')).otel()] })`,
  },
  '@valibot/to-json-schema': {
    program: `
      class Things { add() {} }
      const body = { '~standard': { version: 1, vendor: 'valibot', validate: (value) => ({ value }) } }
      const add = Object.getOwnPropertyDescriptor(Things.prototype, 'add')
      Post('', { body })(Things.prototype, 'add', add)
      Controller('things')(Things)
      await start({ controllers: [Things], strict: true, swagger: {} })`,
  },
  'drizzle-orm': {
    program: `
      const { provideDrizzle } = await import('blazon/postgres')
      await provideDrizzle(class Orm {}).useFactory(null)`,
  },
  esbuild: { program: `await lower()`, after: 'vite' },
  'fast-check': {
    program: `
      const { TestApp } = await import('blazon/testing')
      const app = await TestApp.create({ controllers: [Users] })
      await app.fuzz()`,
    after: 'supertest',
  },
  jose: {
    program: `
      const { jwt } = await import('blazon/jwt')
      const guard = jwt({ keys: 'a secret of at least thirty-two bytes' })
      await guard.forApplication({ get: () => ({ now: () => 0, monotonic: () => 0 }), logger: console })`,
  },
  pg: {
    program: `await start({ plugins: [(await import('blazon/postgres')).postgres({ url: 'postgres://127.0.0.1:1/x' })] })`,
  },
  'pg-boss': {
    program: `await (await import('blazon/jobs')).retryJob({ run: async () => [{ name: 'x' }] }, 'x')`,
  },
  redis: {
    program: `await start({ cache: { store: (await import('blazon/redis')).redisCache({ url: 'redis://127.0.0.1:1' }) } })`,
  },
  supertest: {
    program: `await (await import('blazon/testing')).TestApp.create({ controllers: [] })`,
  },
  'swagger-ui-dist': { program: `await start({ swagger: {} })` },
  tsx: {
    program: `cli('--entry', 'entry.ts')`,
    files: { 'entry.ts': ENTRY },
    report: 'status 4: ',
  },
  typeorm: {
    program: `await start({ plugins: [(await import('blazon/typeorm')).typeorm({ type: 'sqljs' })] })`,
  },
  vite: { program: `await lower()` },
}

/** An application that boots without any peer dependency. */
export const PLAIN_USE: PeerUse = { program: `await start({}); console.log('booted')` }

/** What the program of a use has at hand. */
const PRELUDE = `
  import { spawnSync } from 'node:child_process'
  import { App, Controller, Get, Post } from 'blazon'
  class Users { list() { return [1] } }
  Get()(Users.prototype, 'list', Object.getOwnPropertyDescriptor(Users.prototype, 'list'))
  Controller('users')(Users)
  async function start(options) {
    const app = new App({ controllers: [Users], logger: false, swagger: false, ...options })
    try { await app.init() } finally { await app.close().catch(() => {}) }
  }
  async function lower() {
    const plugin = (await import('blazon/vite')).blazon()
    plugin.configResolved({ root: process.cwd() })
    await plugin.transform.handler('@d class A {}', process.cwd() + '/a.ts')
  }
  function cli(...options) {
    const command = ['node_modules/blazon/dist/cli/main.js', 'openapi', 'export', '--out', 'api.json']
    const { status, stderr } = spawnSync(process.execPath, [...command, ...options], { encoding: 'utf8' })
    console.log('status ' + status + ': ' + stderr)
  }`

/** Runs a use in the folder of an application; answers with what it printed, or with the error that it threw. */
export async function runUse({ program }: PeerUse, cwd: string): Promise<string> {
  const code = `${PRELUDE}
    try { ${program} } catch (error) { console.log(error.name + ': ' + error.message) }
    process.exit(0)`
  const args = ['--input-type=module', '--eval', code]
  return (await promisify(execFile)(process.execPath, args, { cwd })).stdout
}
