import { inspect } from 'node:util'
import { ConfigError } from 'blazon'
import type { PostgresOptions } from 'blazon/postgres'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { checkPostgresOptions } from '../../../src/integrations/postgres/options/check-postgres-options.js'
import { sizeOf, timeoutsOf } from '../../../src/integrations/postgres/options/postgres-options.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'

const logger = { info() {}, warn() {}, error() {} }
const url = 'postgres://user:pass@host:5432/database'
const embedded = 'memory'

function check(options: object): void {
  checkPostgresOptions('postgres()', options as PostgresOptions)
}

describe('the options of postgres()', () => {
  const wrong: [string, object, RegExp][] = [
    [
      'neither url nor embedded',
      {},
      /postgres\(\): url and embedded\s+Neither url nor embedded is set/,
    ],
    ['both url and embedded', { url, embedded }, /url and embedded\s+Both are set/],
    [
      'a URL without a scheme',
      { url: 'user:hunter2@host' },
      /postgres\(\): url\s+Its scheme is not/,
    ],
    ['another scheme', { url: 'mysql://user:hunter2@host/db' }, /Its scheme is not postgres:/],
    ['a URL object', { url: new URL('postgres://user:hunter2@host/db') }, /url\s+Its scheme/],
    ['a URL without a host', { url: 'postgres://user:hunter2@:5432/db' }, /percent-encoded/],
    ['a password with a bracket', { url: 'postgres://user:hunter2@[/db' }, /percent-encoded/],
    ['a password with a slash', { url: 'postgres://user:hunt/er2@host/db' }, /percent-encoded/],
    [
      'a password that looks like a port',
      { url: 'postgres://user:12/hunter2@host/db' },
      /percent-enc/,
    ],
    [
      'a password with a question mark',
      { url: 'postgres://user:12?hunter2@host/db' },
      /percent-enc/,
    ],
    ['a password with a hash', { url: 'postgres://user:12#hunter2@host/db' }, /percent-encoded/],
    [
      'a password with a percent sign',
      { url: 'postgres://user:hunter2%zz@host/db' },
      /percent-encoded/,
    ],
    [
      'a password with invalid UTF-8',
      { url: 'postgres://user:hunter2%ff@host/db' },
      /percent-encoded/,
    ],
    ['a database with a percent sign', { url: 'postgres://u:hunter2@host/%zz' }, /percent-enc/],
    ['a password with a space', { url: 'postgres://user:hunter2 x@host/db' }, /percent-encoded/],
    [
      'a port that is too high',
      { url: 'postgres://user:hunter2@host:99999/db' },
      /percent-encoded/,
    ],
    [
      'a port of the second host that is too high',
      { url: 'postgres://user:hunter2@one:5432,two:99999/db' },
      /percent-encoded/,
    ],
    [
      'an unknown target_session_attrs',
      { url: 'postgres://user:hunter2@one,two/db?target_session_attrs=writable' },
      /target_session_attrs[\s\S]+any, read-write, read-only, primary, standby/,
    ],
    [
      'a lifetime that is a string',
      { url, poolOptions: { maxLifetimeSeconds: '60' } },
      /poolOptions\.maxLifetimeSeconds\s+It is not a number of seconds/,
    ],
    ['an empty folder of embedded', { embedded: '' }, /embedded\s+It is not the path of a folder/],
    ['an embedded URL', { embedded: 'idb://hunter2' }, /embedded\s+It is not the path of a folder/],
    ['`embedded: true`', { embedded: true }, /Pass 'memory', or the path of a folder/],
    [
      'a misspelled option',
      { url, timeout: 1 },
      /timeout\s+It is not an option.+\s+.+url, embedded/,
    ],
    [
      'a misspelled timeout',
      { url, timeouts: { aquire: 1 } },
      /timeouts\.aquire[\s\S]+acquire, stat/,
    ],
    ['timeouts that are not an object', { url, timeouts: '2s' }, /timeouts\s+It is not an object/],
    [
      'a timeout of 0',
      { url, timeouts: { acquire: 0 } },
      /timeouts\.acquire\s+It is not a duration/,
    ],
    [
      'an unknown unit of time',
      { url, timeouts: { statement: '5 parsecs' } },
      /timeouts\.statement\s+It is not/,
    ],
    [
      'an infinite timeout',
      { url, timeouts: { idleInTransaction: Number.POSITIVE_INFINITY } },
      /idleInTr/,
    ],
    [
      'a timeout of more than 30 days',
      { url, timeouts: { statement: '31d' } },
      /timeouts\.statement/,
    ],
    ['a timeout that is an object', { url, timeouts: { statement: {} } }, /timeouts\.statement/],
    ['a timeout of more than one day', { url, timeouts: { acquire: 86_401 } }, /at most one day/],
    ['0 connections', { url, connections: 0 }, /connections\s+It is not a number of/],
    ['1.5 connections', { url, connections: 1.5 }, /whole number from 1 to 1000/],
    ['1001 connections', { url, connections: 1001 }, /whole number from 1 to 1000/],
    ['connections as a string', { url, connections: '10' }, /whole number from 1 to 1000/],
    [
      'connections with embedded',
      { embedded, connections: 1 },
      /connections\s+An embedded .+ has one/,
    ],
    ['poolOptions with embedded', { embedded, poolOptions: {} }, /poolOptions\s+An embedded/],
    [
      'poolOptions that are a string',
      { url, poolOptions: 'ssl' },
      /poolOptions\s+It is not an object/,
    ],
    ['a doctor that is a string', { url, doctor: 'yes' }, /doctor\s+It is not a boolean/],
    [
      'a negative lifetime',
      { url, poolOptions: { maxLifetimeSeconds: -1 } },
      /It is not a number of seconds/,
    ],
    [
      'an embedded folder with NUL',
      { embedded: 'a\0b' },
      /embedded\s+It is not the path of a folder/,
    ],
    ['poolOptions.max', { url, poolOptions: { max: 5 } }, /poolOptions\.max[\s\S]+Use connections/],
    ['poolOptions.host', { url, poolOptions: { host: 'x' } }, /poolOptions\.host[\s\S]+Use url/],
    [
      'a string as poolOptions.password',
      { url, poolOptions: { password: 'hunter2' } },
      /\.password[\s\S]+url/,
    ],
    ['an empty folder of migrations', { url, migrations: '' }, /migrations\s+It is not a folder/],
    [
      'required migrations that are not a folder',
      { url, requireMigrations: '' },
      /requireMigrations\s+It is not a folder/,
    ],
    ['a role without a name', { url, tenantRole: '' }, /tenantRole\s+It is not the name of/],
    ['the role NONE', { url, tenantRole: 'NONE' }, /tenantRole\s+It is not the name of a role/],
    [
      'a predefined role of PostgreSQL',
      { url, allTenantsRole: 'pg_read_all_data' },
      /allTenantsRole/,
    ],
    ['a role name of 64 bytes', { url, tenantRole: 'ä'.repeat(32) }, /at most 63 bytes/],
    [
      'equal roles',
      { url, tenantRole: 'a', allTenantsRole: 'a' },
      /every tenant could read the rows/,
    ],
    [
      'a role that equals the default of the other role',
      { url, tenantRole: 'app_all_tenants' },
      /They are the same role/,
    ],
    ['a URL instead of options', 'postgres://u:hunter2@h' as never, /options must be an object/],
    ['a list', [] as never, /options must be an object/],
    ['null', null as never, /Pass \{ url: 'postgres:/],
  ]

  it.each(wrong)(
    'are refused with a ConfigError without the password: %s',
    (_, options, message) => {
      expect(() => check(options)).toThrow(message)
      try {
        check(options)
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError)
        expect((error as ConfigError).problems.map(({ code }) => code)).toContain(
          'E_OPTION_INVALID',
        )
        expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/hunt/)
      }
    },
  )

  it('are refused with one error that lists all problems', () => {
    const options = { url: 'x', connections: 0, tenantRole: '', timeouts: { acquire: -1 } }
    expect(() => check(options)).toThrow(/4 problems/)
  })

  it.each<[string, PostgresOptions]>([
    ['a URL', { url }],
    ['the scheme postgresql', { url: 'postgresql://host/db' }],
    ['a URL without a password', { url: 'postgres://user@host' }],
    ['an encoded password', { url: 'postgres://user:p%40ss%2Fw%3Ard%25@host/db' }],
    ['an IPv6 address', { url: 'postgres://user@[::1]:5432/db' }],
    [
      'a URL with parameters',
      { url: 'postgres://user@host/db?sslmode=verify-full&application_name=x' },
    ],
    [
      'several hosts',
      { url: 'postgres://user:p%2Ca@one:5432,two,[::1]:5434/db?target_session_attrs=read-write' },
    ],
    ['a socket', { url: 'postgres://user@/db?host=/run/postgresql' }],
    ['a socket as a host', { url: 'postgres://%2Frun%2Fpostgresql/db' }],
    ['memory', { embedded }],
    ['a folder', { embedded: './data', migrations: 'migrations' }],
    ['timeouts', { url, timeouts: { acquire: 0.5, statement: '1d', idleInTransaction: '250ms' } }],
    ['connections', { url, connections: 1000, poolOptions: { ssl: true, password: () => 'x' } }],
    ['a lifetime without a limit', { url, poolOptions: { maxLifetimeSeconds: 0 } }],
    ['a timeout of one day', { url, timeouts: { statement: 86_400 } }],
    ['a role name of 63 bytes', { url, tenantRole: 'x'.repeat(63), doctor: false }],
    ['roles', { url, tenantRole: 'App Tenant', allTenantsRole: 'none_at_all' }],
    ['undefined options', { url, connections: undefined, timeouts: undefined } as never],
  ])('are accepted: %s', (_, options) => {
    expect(() => check(options)).not.toThrow()
    expect(createDriver(options)).toBeDefined()
  })
})

describe('the defaults of postgres()', () => {
  it('are ten connections and time limits of seconds', () => {
    expect([sizeOf({ url }), sizeOf({ url, connections: 3 }), sizeOf({ embedded })]).toEqual([
      10, 3, 1,
    ])
    expect(timeoutsOf({ url })).toEqual({
      ...{ acquireMs: 2000, statementMs: 10_000, idleInTransactionMs: 10_000 },
    })
    const timeouts = { acquire: 0.0001, statement: '1500ms', idleInTransaction: '2m' } as const
    expect(timeoutsOf({ url, timeouts })).toEqual({
      ...{ acquireMs: 1, statementMs: 1500, idleInTransactionMs: 120_000 },
    })
  })

  it('are not set twice: another option sets them', () => {
    const elsewhere = {
      ...{ connectionString: 'url', host: 'url', port: 'url', user: 'url', database: 'url' },
      ...{ max: 'connections', poolSize: 'connections' },
      ...{ connectionTimeoutMillis: 'timeouts.acquire', query_timeout: 'timeouts.statement' },
      ...{ statement_timeout: 'timeouts.statement' },
      ...{ idle_in_transaction_session_timeout: 'timeouts.idleInTransaction' },
    }
    for (const [name, option] of Object.entries(elsewhere)) {
      const run = () => check({ url, poolOptions: { [name]: undefined } })
      expect(run).toThrow(`poolOptions.${name}`)
      expect(run).toThrow(`Use ${option} instead.`)
    }
  })
})

describe('a missing package', () => {
  afterEach(() => {
    vi.doUnmock('pg')
    vi.doUnmock('@electric-sql/pglite')
  })

  it.each<[string, PostgresOptions, string]>([
    ['pg', { url: 'postgres://user:hunter2@host' }, 'npm install pg@8'],
    ['@electric-sql/pglite', { embedded }, 'npm install @electric-sql/pglite'],
  ])('causes an error with the command that installs it: %s', async (name, options, install) => {
    vi.doMock(name, () => {
      throw new Error(`Cannot find package '${name}'`)
    })
    const driver = createDriver(options)
    const error = await driver.open({ logger }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ConfigError)
    const [problem] = (error as ConfigError).problems
    expect(problem).toMatchObject({ code: 'E_PEER_MISSING', remedy: install })
    expect(problem?.cause).toContain(`the package ${name},`)
    await driver.close()
  })
})
