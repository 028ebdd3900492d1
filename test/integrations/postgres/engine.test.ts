import { ConfigError, Metrics } from 'blazon'
import { PostgresError } from 'blazon/postgres'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Driver, DriverContext } from '../../../src/integrations/postgres/driver.js'
import { busy, unavailable } from '../../../src/integrations/postgres/drivers/failures.js'
import { Engine } from '../../../src/integrations/postgres/engine.js'
import { Statements } from '../../../src/plugin/index.js'
import { Folder } from './own-database.js'

afterEach(() => void vi.unstubAllEnvs())

interface Server {
  /** The rows of a statement, or the error with which it fails. */
  answer(text: string): object[]
  connect?: () => void
}

/** An engine over a server of the test, and what has happened. */
function open(server: Server, options: object = {}, more: Partial<Driver> = {}) {
  const log: string[] = []
  let context: DriverContext | undefined
  const query = async ({ text, values = [] }: { text: string; values?: readonly unknown[] }) => {
    log.push([text.replace(/\s+/g, ' '), ...values].join(' | '))
    return { rows: server.answer(text), rowCount: 0, command: 'SELECT', fields: [] }
  }
  const driver = {
    ...{ size: 4, isEmbedded: false, usage: () => ({ lent: 3, waiting: 2 }) },
    open: async (given: DriverContext) => {
      context = given
    },
    connect: async () => {
      server.connect?.()
      return {
        query,
        script: async (text: string) => void log.push(text),
        release: () => log.push('release'),
        destroy: () => log.push('destroy'),
      }
    },
    close: async () => void log.push('close'),
    ...more,
  }
  const engine = new Engine(options, driver as unknown as Driver)
  const lines: string[] = []
  const note = (facts: object, message: string) =>
    void lines.push(`${message} ${Object.keys(facts)}`)
  const logger = { info: note, warn: note, error: note }
  const added: { name: string; read(): unknown }[] = []
  const get = (token: unknown) => {
    if (token === Metrics) return { add: (metric: never) => added.push(metric) }
    return token === Statements ? { areObserved: false } : undefined
  }
  const start = (usesTenants = false) => engine.start({ get, logger, usesTenants } as never)
  return { engine, start, log, lines, added, context: () => context }
}

const rows = (isReadOnly: boolean) => [{ isReadOnly }]
const writable: Server = { answer: () => rows(false) }

describe('the database of an application', () => {
  it('is opened, asked whether it responds, and closed', async () => {
    const { engine, start, log, added } = open(writable)
    expect(() => engine.logger()).toThrow('The database was used before the application started.')
    await start()
    expect(log).toEqual([expect.stringContaining('transaction_read_only'), 'release', 'destroy'])
    expect(Object.fromEntries(added.map((metric) => [metric.name, metric.read()]))).toEqual({
      ...{ db_client_connections_used: 3, db_client_connections_max: 4 },
      db_client_connections_waiting: 2,
    })
    vi.spyOn(engine.sessions, 'close').mockImplementation(() => void log.push('end of sessions'))
    await engine.onClose()
    expect(log.slice(-2)).toEqual(['close', 'end of sessions'])
  })

  it('that cannot be reached is reported with the reason', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED.'), { code: 'ECONNREFUSED' })
    const connect = () => {
      throw unavailable(cause)
    }
    const error = await open({ ...writable, connect })
      .start()
      .catch((reason) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.problems).toEqual([
      {
        code: 'E_DATABASE_UNREACHABLE',
        subject: 'postgres()',
        cause: 'The database cannot be reached: connect ECONNREFUSED.',
        remedy:
          'Check that the server is running, and that `url` has the host, the port, the database, the user and the password.',
      },
    ])
    const refusal = new PostgresError('no', { code: '42501' })
    const answer = () => {
      throw refusal
    }
    await expect(open({ answer }).start()).rejects.toBe(refusal)
  })

  it('that a test answers is neither migrated nor examined', async () => {
    const { start, log } = open(writable, { migrations: '/nowhere' }, { expect: () => {} })
    vi.stubEnv('NODE_ENV', 'development')
    await start(true)
    expect(log).toHaveLength(3)
  })

  it('is stored as a snapshot only if it is in memory', async () => {
    const remembered: string[] = []
    const remember = async (state: string) => void remembered.push(state)
    const answer = () => [{ mine: true, may: true, ...rows(false)[0] }]
    const memory = open({ answer }, { embedded: 'memory' }, { isEmbedded: true, remember })
    await memory.start()
    expect(remembered).toEqual([memory.context()?.state])
    expect(remembered[0]).toContain('app_tenant')
    const folder = open({ answer }, { embedded: './data' }, { isEmbedded: true, remember })
    await folder.start()
    expect(folder.context()?.state).toBeUndefined()
    expect(remembered).toHaveLength(1)
  })

  it.each<[mode: string, doctor: boolean | undefined, usesTenants: boolean, isExamined: boolean]>([
    ['production', undefined, true, true],
    ['production', undefined, false, false],
    ['production', false, true, false],
    ['test', undefined, true, false],
    ['test', true, true, true],
  ])(
    'is examined or not: %s, doctor %s, tenants %s',
    async (mode, doctor, usesTenants, expected) => {
      vi.stubEnv('NODE_ENV', mode)
      const stop = new Error('examined')
      const answer = (text: string) => {
        if (text.includes('tenant_roles')) throw stop
        return rows(false)
      }
      const { start } = open({ answer }, { ...(doctor !== undefined && { doctor }) })
      const outcome = await start(usesTenants).catch((reason) => reason)
      expect(outcome === stop).toBe(expected)
    },
  )
})

/** A server with one migration of a newer version. */
function migrated(text: string): object[] {
  if (text.startsWith('select name, checksum')) return [{ name: '0009_z.sql' }]
  if (text.includes('as history')) return [{ history: true, tables: true, tenants: false }]
  return [{ mine: true, may: true, found: true, duration_ms: 7, isReadOnly: false }]
}

describe('the migrations of an application', () => {
  it('are applied when it starts, and those of a newer version are logged', async () => {
    using folder = new Folder({ '0010_a.sql': 'select 1' })
    const { start, lines } = open(
      { answer: (text) => (text.includes('0010_a') ? [] : migrated(text)) },
      { migrations: folder.path },
    )
    await expect(start()).rejects.toThrow('E_MIGRATION_MISSING')
    folder.remove('0010_a.sql')
    const newer = open({ answer: migrated }, { migrations: folder.path })
    await newer.start()
    expect(newer.lines).toEqual([
      'The database has migrations of a newer version of the application migrations',
    ])
    expect(lines).toEqual([])
  })

  it.each([
    [false, false, false],
    [true, false, true],
    [false, true, true],
  ])(
    'create the roles or not: embedded %s, tenants %s',
    async (isEmbedded, usesTenants, expected) => {
      using folder = new Folder()
      const { start, log } = open({ answer: migrated }, { migrations: folder.path }, { isEmbedded })
      await start(usesTenants)
      expect(log.some((line) => line.includes('rolsuper'))).toBe(expected)
    },
  )

  it.each([
    ['development', ['W_DATABASE_TABLES']],
    ['', ['W_DATABASE_TABLES']],
    ['production', []],
    ['test', []],
  ])('that are missing are a warning: NODE_ENV=%s', async (mode, codes) => {
    vi.stubEnv('NODE_ENV', mode)
    const answer = (text: string) =>
      text.includes('as related') ? [{ related: true }] : migrated(text)
    const { start, lines } = open({ answer }, { migrations: undefined, doctor: false })
    await start(true)
    expect(lines.map((line) => /^\[(\w+)\]/.exec(line)?.[1])).toEqual(codes)
  })
})

describe('the readiness of a database', () => {
  it('ends when the server has refused a write, until it accepts writes again', async () => {
    let isReadOnly = false
    const { engine, start, log, context } = open({ answer: () => rows(isReadOnly) })
    await start()
    isReadOnly = true
    // A server that only reads is accepted as long as no write was refused.
    await engine.checkReady()
    expect(log.at(-2)).toBe('release')
    context()?.onReadOnly?.()
    await expect(engine.checkReady()).rejects.toThrow('The database does not accept writes.')
    expect(log.slice(-2)).not.toContain('release')
    expect(log.at(-1)).toBe('destroy')
    isReadOnly = false
    await engine.checkReady()
    isReadOnly = true
    await engine.checkReady()
  })

  it('does not depend on a free connection, unless a write was refused', async () => {
    let failure: Error | undefined
    const connect = () => {
      if (failure !== undefined) throw failure
    }
    const { engine, start, context } = open({ ...writable, connect })
    await start()
    failure = busy()
    await engine.checkReady()
    context()?.onReadOnly?.()
    await expect(engine.checkReady()).rejects.toThrow('The database does not accept writes.')
    failure = unavailable('gone')
    await expect(engine.checkReady()).rejects.toBe(failure)
    failure = new Error('other')
    await expect(engine.checkReady()).rejects.toBe(failure)
  })

  it('requires all migrations of a folder once', async () => {
    using folder = new Folder({ '0001_a.sql': 'select 1', '0002_b.sql': 'select 2' })
    let reads = 0
    let applied: object[] = []
    const answer = (text: string) => {
      if (text.includes('to_regclass')) return [{ found: true }]
      if (!text.startsWith('select name, checksum')) return rows(false)
      reads++
      return applied
    }
    const { engine, start } = open({ answer }, { requireMigrations: folder.path })
    await start()
    await expect(engine.checkReady()).rejects.toThrow(
      'Migrations are pending: 0001_a.sql, 0002_b.sql. Run: npx blazon db migrate',
    )
    applied = ['0001_a.sql', '0002_b.sql'].map((name) => ({ name, applied_at: new Date(0) }))
    await engine.checkReady()
    applied = []
    await engine.checkReady()
    expect(reads).toBe(2)
  })
})

describe('the access of other plugins to the database', () => {
  it('runs a statement with values, or the statements of a script, on one connection', async () => {
    const { engine, log } = open({ answer: (text) => [{ text }] })
    const { link } = engine
    expect([link.connections, link.isEmbedded, link.isReal]).toEqual([4, false, true])
    expect(await link.run('select $1', [7])).toEqual([{ text: 'select $1' }])
    expect(log).toEqual(['select $1 | 7', 'release'])
    expect(await link.run("begin; select ';'; commit;")).toEqual(
      ['begin', "select ';'", 'commit'].map((text) => ({ text })),
    )
    expect(log.slice(2)).toEqual(['begin', "select ';'", 'commit', 'release'])
    expect(open(writable, {}, { expect: () => {} }).engine.link.isReal).toBe(false)
  })

  it('closes the connection of a script that fails', async () => {
    const answer = (text: string) => {
      if (text === 'wrong') throw new PostgresError('no', { code: '42601' })
      return []
    }
    const { engine, log } = open({ answer })
    await expect(engine.link.run('begin; wrong; commit')).rejects.toMatchObject({ code: '42601' })
    expect(log).toEqual(['begin', 'wrong', 'destroy'])
  })
})

it('a table of the package belongs to the role of all tenants, or to the login', async () => {
  const { engine, log } = open(writable, { allTenantsRole: 'every' })
  const roles: (string | null)[] = []
  const statementsFor = (role: string | null) => {
    roles.push(role)
    return ['create table a ()', 'grant b']
  }
  await engine.createOwnTable(true, statementsFor)
  await engine.createOwnTable(false, statementsFor)
  expect(roles).toEqual(['every', null])
  expect(log.filter((line) => line !== 'release')).toEqual(
    Array(2).fill(['create table a ()', 'grant b']).flat(),
  )
})
