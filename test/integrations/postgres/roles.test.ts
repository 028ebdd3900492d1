import { ConfigError } from 'blazon'
import { PostgresError } from 'blazon/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Connection } from '../../../src/integrations/postgres/driver.js'
import { ensureRoles, findRole, isRelated } from '../../../src/integrations/postgres/roles.js'
import { type OwnDatabase, ownEmbeddedDatabase } from './own-database.js'

let database: OwnDatabase
let connection: Connection

beforeAll(async () => {
  database = await ownEmbeddedDatabase()
  connection = await database.driver.connect()
})
afterAll(async () => {
  connection?.release()
  await database?.[Symbol.asyncDispose]()
})

const ROLES = { tenantRole: 'one', allTenantsRole: 'all them' }

/** Runs statements and then the preparation of the roles, in a transaction that is rolled back. */
async function prepare<T>(
  statements: string,
  { login, ...more }: { readonly login?: string } = {},
  look: () => Promise<T> = async () => undefined as T,
) {
  await connection.script(`begin; ${statements}`)
  try {
    await ensureRoles(connection, { ...ROLES, ...more, ...(login && { login }) })
    return await look()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [{ code, subject, cause, remedy } = {}] = error.problems
    return [code, subject, cause, remedy]
  } finally {
    await connection.script('rollback')
  }
}

const GRANTED = 'grant one, "all them" to service with inherit false'
const MADE = 'create role one; create role "all them"; create role service login'

describe('the roles of tenants', () => {
  it('are created without attributes, and a login can switch to them without their privileges', async () => {
    const look = async () => [
      await findRole(connection, 'one'),
      await isRelated(connection, ['service', 'one'], 'MAY_BECOME'),
      await isRelated(connection, ['service', 'all them'], 'MAY_BECOME'),
      await isRelated(connection, ['service', 'all them'], 'INHERITS'),
      await isRelated(connection, ['one', 'all them'], 'MAY_BECOME'),
      await isRelated(connection, ['service', 'nobody'], 'MAY_BECOME'),
    ]
    expect(await prepare('create role service login', { login: 'service' }, look)).toEqual([
      {
        ...{ name: 'one', isSuper: false, bypassesPolicies: false },
        ...{ canLogin: false, canCreateRoles: false, canReplicate: false },
      },
      ...[true, true, false, false, false],
    ])
  })

  it('can use the schema public, or there is no such schema', async () => {
    const look = async () => {
      const text = `select has_schema_privilege(rolname, 'public', 'usage') as may from pg_roles
        where rolname in ('one', 'all them')`
      return (await connection.query({ text })).rows
    }
    const revoked = `${MADE}; revoke all on schema public from public`
    expect(await prepare(revoked, {}, look)).toEqual([{ may: true }, { may: true }])
    expect(await prepare('drop schema public', {}, async () => 'done')).toBe('done')
  })

  it.each<[string, string, string | undefined, string[]]>([
    [
      'a role that is a superuser and can log in',
      'create role one superuser login',
      undefined,
      [
        'E_DATABASE_ROLE',
        'role one',
        "It is a superuser and can log in. A role that runs the application's statements must not have such attributes.",
        'Use another role, or run as an administrator: alter role one nologin nosuperuser nobypassrls noinherit;',
      ],
    ],
    [
      'a role with BYPASSRLS',
      'create role one; create role "all them" bypassrls',
      undefined,
      [
        'E_DATABASE_ROLE',
        'role all them',
        "It has BYPASSRLS. A role that runs the application's statements must not have such attributes.",
        'Use another role, or run as an administrator: alter role "all them" nologin nosuperuser nobypassrls noinherit;',
      ],
    ],
    [
      'a login that does not exist',
      MADE,
      'Nobody',
      [
        'E_DATABASE_LOGIN',
        'login Nobody',
        'There is no such role.',
        `Run as an administrator: create role "Nobody" login noinherit password '…';`,
      ],
    ],
    [
      'a login that is a superuser',
      `${MADE}; alter role service superuser`,
      'service',
      [
        'E_DATABASE_LOGIN',
        'login service',
        'It is a superuser: no policy applies to it.',
        'Use another login, or run as an administrator: alter role service nosuperuser nobypassrls noinherit;',
      ],
    ],
    [
      'a login with BYPASSRLS',
      `${MADE}; alter role service bypassrls`,
      'service',
      [
        'E_DATABASE_LOGIN',
        'login service',
        'It has BYPASSRLS: no policy applies to it.',
        'Use another login, or run as an administrator: alter role service nosuperuser nobypassrls noinherit;',
      ],
    ],
    [
      'a login that inherits',
      `${MADE}; grant one, "all them" to service with inherit true`,
      'service',
      [
        'E_DATABASE_LOGIN',
        'login service',
        'It inherits the privileges of all them, so it can read the rows of every tenant without switching to that role.',
        'Run as an administrator: revoke "all them" from service; grant "all them" to service with inherit false, set true;',
      ],
    ],
  ])('refuse %s', async (_, statements, login, problem) => {
    expect(await prepare(statements, { ...(login && { login }) })).toEqual(problem)
  })

  const AS = 'create role migrator; set local role migrator'
  it.each<[string, string, string[]]>([
    [
      'roles that do not exist',
      'create role service login',
      [
        'E_DATABASE_ROLE',
        'role one',
        'It does not exist, and this login is not allowed to run the necessary SQL.',
        'Run as an administrator: create role one nologin nosuperuser nobypassrls noinherit; create role "all them" nologin nosuperuser nobypassrls noinherit; grant usage on schema public to one, "all them"; grant one, "all them" to service;',
      ],
    ],
    [
      'the schema public',
      `${MADE}; revoke all on schema public from public`,
      [
        'E_DATABASE_ROLE',
        'role one',
        'It is not allowed to use the schema public, and this login is not allowed to run the necessary SQL.',
        'Run as an administrator: grant usage on schema public to one;',
      ],
    ],
    [
      'the membership of the login',
      MADE,
      [
        'E_DATABASE_LOGIN',
        'login service',
        'It is not allowed to switch to one, and the login that runs the migrations is not allowed to grant this role.',
        'Run as an administrator: grant one to service with inherit false, set true;',
      ],
    ],
  ])('name the SQL for an administrator if a login may not change %s', async (_, made, problem) => {
    expect(await prepare(`${made}; ${AS}`, { login: 'service' })).toEqual(problem)
  })

  it('need no privileges if everything is prepared', async () => {
    const granted = `${MADE}; ${GRANTED}; ${AS}`
    expect(await prepare(granted, { login: 'service' }, async () => 'done')).toBe('done')
  })
})

it('roles that another process creates at the same time are accepted', async () => {
  for (const [code, isAccepted] of [
    ['42710', true],
    ['23505', true],
    ['XX000', true],
    ['57014', false],
  ] as const) {
    let made = 0
    const script = async (text: string) => {
      if (!text.startsWith('create role')) return
      made++
      throw new PostgresError('at the same time', { code })
    }
    const query = async ({ text }: { text: string }) => ({
      rows: text.includes('rolsuper') && made === 0 ? [] : [{ may: true }],
    })
    const racing = { script, query } as unknown as Connection
    const prepared = ensureRoles(racing, ROLES).then(
      () => true,
      () => false,
    )
    expect([code, await prepared]).toEqual([code, isAccepted])
  }
})
