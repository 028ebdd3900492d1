import { once } from 'node:events'
import { createServer, type Server as NetServer } from 'node:net'
import { inspect } from 'node:util'
import { App, ConfigError } from 'blazon'
import { type TypeOrmOptions, typeorm } from 'blazon/typeorm'
import { DataSource, EntitySchema } from 'typeorm'
import { describe, expect, it } from 'vitest'
import { usable } from '../../support.js'
import { failureOf, PASSWORD } from './start-failure.js'

/** Replaces the logger of TypeORM, which prints every statement of a migration. */
const ignore = () => {}
const logger = {
  log: ignore,
  logQuery: ignore,
  logQueryError: ignore,
  logQuerySlow: ignore,
  logMigration: ignore,
  logSchemaBuild: ignore,
}

/** A server that sends the same bytes to every client, or closes each connection if `answer` is `null`. */
async function fakeServer(answer: Buffer | null): Promise<{ server: NetServer; port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (answer === null) socket.destroy()
    else socket.once('data', () => socket.end(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as { port: number }).port }
}

/** An error as PostgreSQL sends it. */
function refusal(fields: Readonly<Record<string, string>>): Buffer {
  const text = Object.entries(fields).map(([field, value]) => `${field}${value}\0`)
  const body = Buffer.from(`${text.join('')}\0`)
  const head = Buffer.alloc(5, 'E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

describe('an unusable database', () => {
  it('causes a boot error if no server listens', async () => {
    const { server, port } = await fakeServer(null)
    server.close()
    await once(server, 'close')
    const password = PASSWORD
    for (const options of [
      { url: `postgres://ada:${encodeURIComponent(password)}@127.0.0.1:${port}/shop` },
      { host: '127.0.0.1', port, username: 'ada', password },
      { host: '127.0.0.1', port, extra: { user: 'ada', password } },
    ]) {
      const { problems, message } = await failureOf({ type: 'postgres', ...options })
      expect(problems[0]).toMatchObject({
        code: 'E_PROVIDER_FAILED',
        subject: "typeorm({ type: 'postgres' })",
      })
      expect(message).toMatch(/cannot be used: ECONNREFUSED.+database is running/s)
    }
  })

  it('causes a boot error if the connection is cut', async () => {
    const { server, port } = await fakeServer(null)
    const { message } = await failureOf({ type: 'postgres', host: '127.0.0.1', port })
    expect(message).toMatch(/cannot be used: .*(ECONNRESET|terminated)/)
    server.close()
  })

  it('causes a boot error without the password if the password is wrong', async () => {
    const { server, port } = await fakeServer(
      refusal({
        S: 'FATAL',
        C: '28P01',
        // No known server repeats the password. If one does, the message must hide it, too.
        M: `password authentication failed for user "ada" (${PASSWORD})`,
      }),
    )
    const url = `postgres://ada:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/shop`
    const { message } = await failureOf({ type: 'postgres', url })
    expect(message).toContain('28P01, password authentication failed for user "ada" (***)')
    server.close()
  })

  it('causes a boot error without the secrets, even if one secret begins with another', async () => {
    const [token, key] = [`${PASSWORD}-token`, `${PASSWORD}-token-key`]
    const M = `no access with ${token}, ${PASSWORD} and ${key}`
    const { server, port } = await fakeServer(refusal({ S: 'FATAL', C: '28P01', M }))
    const { message } = await failureOf({
      type: 'postgres',
      host: '127.0.0.1',
      port,
      password: PASSWORD,
      extra: { token, nested: [{ apiKey: key }] },
    })
    expect(message).toContain('28P01, no access with ***, *** and ***.')
    server.close()
  })

  it('causes a boot error with the command that installs a missing driver', async () => {
    const { problems } = await failureOf({ type: 'mysql', password: PASSWORD })
    expect(problems[0]).toMatchObject({
      code: 'E_PEER_MISSING',
      cause: expect.stringContaining(
        'TypeORM needs mysql2 for this kind of database, but cannot load it.',
      ),
      remedy: 'npm install mysql2',
    })
  })

  it('causes a boot error if its URL is invalid', async () => {
    const url = `postgres://ada:${PASSWORD}@127.0.0.1/shop`
    const { message } = await failureOf({ type: 'postgres', url })
    expect(message).toMatch(/`url` is not a URL.+encodeURIComponent/s)
  })

  it('causes a boot error if the database refuses a statement of a migration', async () => {
    class Broken1700000000000 {
      async up(runner: { query(sql: string): Promise<unknown> }) {
        await runner.query("insert into nowhere values ('a value')")
      }

      async down() {}
    }
    const migrations = [Broken1700000000000]
    const error = await failureOf({ type: 'sqljs', logger, migrations, migrationsRun: true })
    expect(error.message).toMatch(/refused a statement during startup.+migrationsRun/s)
    expect(error.message).not.toContain('a value')
    expect(inspect(error.cause)).toContain('no such table: nowhere')
  })

  it('causes a boot error if a migration throws a value that is not an error', async () => {
    class Thrown1700000000000 {
      up() {
        throw PASSWORD
      }

      async down() {}
    }
    const migrations = [Thrown1700000000000]
    const { message } = await failureOf({ type: 'sqljs', logger, migrations, migrationsRun: true })
    expect(message).toContain('The thrown value is not an error')
  })
})

describe('the options of typeorm()', () => {
  const wrong: [string, unknown, RegExp][] = [
    ['undefined', undefined, /options must be an object.+type: 'postgres'/s],
    ['null', null, /options must be an object/],
    ['a URL', 'postgres://ada:hunter2@localhost', /options must be an object/],
    ['a list', [], /options must be an object/],
    ['a data source', new DataSource({ type: 'sqljs' }), /typeorm\(dataSource\.options\)/],
    [
      'no type',
      { url: 'postgres://ada:hunter2@localhost' },
      /type\s+The type of the database is missing/,
    ],
    ['an empty name', { type: 'sqljs', name: '' }, /name\s+It is empty, or not a string/],
    ['a number as name', { type: 'sqljs', name: 7 }, /name\s+It is empty, or not a string/],
  ]

  it.each(wrong)('cause a ConfigError without the password: %s', (_, options, message) => {
    expect(() => usable(typeorm(options as TypeOrmOptions))).toThrow(ConfigError)
    expect(() => usable(typeorm(options as TypeOrmOptions))).toThrow(message)
    try {
      usable(typeorm(options as TypeOrmOptions))
    } catch (error) {
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('hunter2')
    }
  })

  it('cause a boot error if TypeORM refuses them', async () => {
    const { message } = await failureOf({ type: 'sqlite' as 'sqljs' })
    expect(message).toMatch(/TypeORM reports: Wrong driver: "sqlite" given.+"sqljs"/)
  })

  it('are not modified by applications or data sources that use them', async () => {
    const Note = new EntitySchema({
      name: 'Note',
      columns: { id: { type: Number, primary: true } },
    })
    const options: TypeOrmOptions = { type: 'sqljs', entities: [Note], synchronize: true }
    const before = inspect(options, { depth: 9 })
    const plugins = [typeorm(Object.freeze(options))]
    const apps = await Promise.all([App.create({ plugins }), App.create({ plugins })])
    apps[0].get(DataSource).setOptions({ logging: false })
    expect(inspect(options, { depth: 9 })).toBe(before)
    await Promise.all(apps.map((app) => app.close()))
  })
})
