import { type ConfigError, HttpError, runWithoutTenant, runWithTenant } from 'blazon'
import { PostgresError, TenantSwitchError } from 'blazon/postgres'
import { describe, expect, it } from 'vitest'
import type { Connection, QueryResult } from '../../../src/integrations/postgres/driver.js'
import { autocommit } from '../../../src/integrations/postgres/sessions/autocommit.js'
import {
  currentOwner,
  isSameOwner,
  type Owner,
} from '../../../src/integrations/postgres/sessions/owner.js'
import {
  assertIsolation,
  checkTransactionOptions,
} from '../../../src/integrations/postgres/sessions/transaction-options.js'
import {
  beginAs,
  ownerSettingsOf,
  settingsOf,
  TransactionStart,
} from '../../../src/integrations/postgres/sessions/transaction-start.js'
import { turns } from '../../journeys/turns.js'

const CONFIG = {
  tenantRole: 'one',
  allTenantsRole: 'all',
  statementMs: 9000,
  idleInTransactionMs: 8000,
  isEmbedded: false,
}
const ACME: Owner = { kind: 'tenant', id: 'acme' }
const refused = (code: string) => new PostgresError('refused', { code })

/** A connection that refuses some statements, and lists what was sent. Each flight is one entry. */
function open(refusals: Readonly<Record<string, Error>> = {}) {
  const sent: string[] = []
  const answer = async (text: string): Promise<QueryResult> => {
    await Promise.resolve()
    const refusal = Object.entries(refusals).find(([part]) => text.includes(part))?.[1]
    if (refusal !== undefined) throw refusal
    return { rows: [], rowCount: 0, command: text.split(' ')[0] as string, fields: [] }
  }
  const connection: Connection = {
    isLost: false,
    query: ({ text }) => {
      sent.push(text)
      return answer(text)
    },
    sendTogether: (statements) => {
      sent.push(
        statements.map(({ text }) => (text.includes('set_config') ? 'SET' : text)).join('; '),
      )
      const results = statements.map(({ text }) => answer(text))
      for (const result of results) result.catch(() => undefined)
      return results
    },
    script: async () => {},
    release: () => void sent.push('release'),
    destroy: () => void sent.push('destroy'),
  }
  return { connection, sent }
}

describe('the settings of a transaction', () => {
  it.each<[Owner | null, readonly string[]]>([
    [null, ['9000', '8000']],
    [ACME, ['9000', '8000', 'one', 'acme']],
    [{ kind: 'nobody' }, ['9000', '8000', 'one', '']],
    [{ kind: 'all' }, ['9000', '8000', 'all', '']],
  ])('have the time limits, the role and the tenant of %o', (owner, values) => {
    const { statement } = settingsOf(owner, CONFIG)
    expect(statement.values).toEqual(values)
    expect(statement.hasNoReader).toBe(true)
    const embedded = settingsOf(owner, { ...CONFIG, isEmbedded: true }).statement.values
    expect(embedded).toEqual(['9000', '0', ...values.slice(2)])
  })

  it('set everything that separates tenants, and only the time limits without tenants', () => {
    const names = (owner: Owner | null) =>
      [...settingsOf(owner, CONFIG).statement.text.matchAll(/set_config\('([\w.]+)'/g)].map(
        ([, name]) => name,
      )
    const limits = ['statement_timeout', 'idle_in_transaction_session_timeout']
    expect(names(null)).toEqual(limits)
    expect([...new Set(names(ACME))].sort()).toEqual(
      [...limits, 'row_security', 'search_path', 'role', 'app.tenant_id'].sort(),
    )
  })

  it('of a nested transaction have only the role and the tenant', () => {
    const values = (owner: Owner | null) => ownerSettingsOf(owner, CONFIG).statement.values
    expect(values(ACME)).toEqual(['one', 'acme'])
    expect(values({ kind: 'all' })).toEqual(['all', ''])
    expect(values(null)).toEqual(['none', ''])
  })

  it('that the server refuses are explained if the role is the reason', () => {
    for (const settings of [settingsOf(ACME, CONFIG), ownerSettingsOf(ACME, CONFIG)]) {
      for (const code of ['22023', '42501']) {
        const cause = refused(code)
        const error = settings.explain(cause) as PostgresError
        expect([error.code, error.cause]).toEqual([code, cause])
        expect(error.message).toMatch(/^Statements must run as the role one\./)
      }
      const other = refused('57014')
      expect(settings.explain(other)).toBe(other)
    }
    const cause = refused('42501')
    expect(settingsOf(null, CONFIG).explain(cause)).toBe(cause)
  })

  it('begin with the isolation level', () => {
    expect(beginAs('repeatable read')).toEqual({
      text: 'BEGIN ISOLATION LEVEL REPEATABLE READ',
      hasNoReader: true,
    })
  })
})

describe('the first statements of a transaction', () => {
  const start = (refusals: Readonly<Record<string, Error>> = {}) => {
    const { connection, sent } = open(refusals)
    const settings = { ...settingsOf(ACME, CONFIG), begin: beginAs('serializable') }
    return { sent, begun: new TransactionStart(connection, settings) }
  }

  it('are sent together with BEGIN, and later statements after its result', async () => {
    const { sent, begun } = start()
    const results = ['select 1', 'select 2'].map((text) => begun.send({ text }))
    await new Promise<void>((resolve) => process.nextTick(resolve))
    results.push(begun.send({ text: 'select 3' }))
    expect(sent).toEqual(['BEGIN ISOLATION LEVEL SERIALIZABLE; SET; select 1; select 2'])
    await Promise.all(results)
    await begun.conclude('COMMIT')
    expect(sent.slice(1)).toEqual(['select 3', 'COMMIT'])
  })

  it.each<[string, Record<string, Error>, object]>([
    ['BEGIN', { BEGIN: refused('57014') }, { code: '57014', message: 'refused' }],
    [
      'the settings',
      { set_config: refused('42501') },
      { message: expect.stringMatching(/role one/) },
    ],
  ])('all fail if the server refuses %s, and only ROLLBACK is sent', async (_, refusals, error) => {
    const { sent, begun } = start(refusals)
    const first = begun.send({ text: 'select 1' })
    first.catch(() => undefined)
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const later = begun.send({ text: 'select 2' })
    const commit = begun.conclude('COMMIT')
    const rollback = begun.conclude('ROLLBACK')
    for (const each of [first, later, commit]) await expect(each).rejects.toMatchObject(error)
    await rollback
    await expect(begun.send({ text: 'select 3' })).rejects.toMatchObject(error)
    await expect(begun.conclude('COMMIT')).rejects.toMatchObject(error)
    expect(sent.slice(1)).toEqual(['ROLLBACK'])
  })

  it('can be none: the end is sent after BEGIN', async () => {
    const { sent, begun } = start()
    await begun.conclude('COMMIT')
    await turns(2)
    expect(sent).toEqual(['BEGIN ISOLATION LEVEL SERIALIZABLE; SET', 'COMMIT'])
  })
})

describe('a statement in its own transaction', () => {
  const gone = () => new HttpError(503, 'gone', { code: 'DATABASE_UNAVAILABLE' })
  const run = async (text: string, refusals = {}, owner: Owner | null = ACME) => {
    const { connection, sent } = open(refusals)
    const driver = { connect: async () => connection } as never
    const settings = owner === null ? null : settingsOf(owner, CONFIG)
    const outcome = await autocommit(driver, { text }, settings).then(
      ({ command }) => command,
      (error) => error.code ?? error.message,
    )
    return [outcome, ...sent]
  }

  it('is sent with BEGIN and COMMIT, or alone without settings', async () => {
    expect(await run('insert into a')).toEqual([
      'insert',
      'BEGIN; SET; insert into a',
      'COMMIT',
      'release',
    ])
    expect(await run('insert into a', {}, null)).toEqual(['insert', 'insert into a', 'release'])
  })

  it('keeps its connection if the server refuses it', async () => {
    expect(await run('insert into a', { insert: refused('23505') })).toEqual([
      '23505',
      'BEGIN; SET; insert into a',
      'COMMIT',
      'release',
    ])
    const skipped = { set_config: refused('25P02'), insert: refused('25P02') }
    expect(await run('insert into a', { BEGIN: refused('57014'), ...skipped })).toContain('57014')
    const [message] = await run('insert into a', { set_config: refused('22023') })
    expect(message).toBe('22023')
  })

  it('may have saved data if the connection was lost, unless it only reads', async () => {
    for (const owner of [ACME, null]) {
      const lost = (text: string) => run(text, { [text]: gone() }, owner)
      expect(await lost('insert into a')).toEqual(
        expect.arrayContaining(['COMMIT_UNKNOWN', 'destroy']),
      )
      expect(await lost('select 1')).toEqual(
        expect.arrayContaining(['DATABASE_UNAVAILABLE', 'destroy']),
      )
    }
    expect((await run('insert into a', { COMMIT: gone() }))[0]).toBe('COMMIT_UNKNOWN')
  })
})

describe('the owner of a statement', () => {
  it('is the tenant of its code, all tenants, or nobody', async () => {
    expect([currentOwner(true), currentOwner(false)]).toEqual([{ kind: 'nobody' }, null])
    for (const usesTenants of [true, false]) {
      expect(await runWithTenant('acme', async () => currentOwner(usesTenants))).toEqual(ACME)
      expect(await runWithoutTenant('why', async () => currentOwner(usesTenants))).toEqual({
        kind: 'all',
      })
    }
  })

  it('differs by kind and by tenant', () => {
    const owners: (Owner | null)[] = [
      null,
      { kind: 'nobody' },
      { kind: 'all' },
      ACME,
      { kind: 'tenant', id: 'globex' },
    ]
    for (const [index, one] of owners.entries())
      for (const [place, other] of owners.entries())
        expect(isSameOwner(one, other && { ...other })).toBe(index === place)
  })

  it('is named in the error of a switch', () => {
    const messageOf = (from: Owner | null, to: Owner | null) =>
      new TenantSwitchError(from, to).message.split(', and')[0]
    expect(messageOf(ACME, null)).toBe("A transaction for the tenant 'acme' is open")
    expect(messageOf(null, ACME)).toBe('A transaction without a tenant is open')
    expect(messageOf({ kind: 'nobody' }, ACME)).toBe('A transaction without a tenant is open')
    expect(messageOf({ kind: 'all' }, ACME)).toBe('A transaction for all tenants is open')
    expect(new TenantSwitchError({ kind: 'all' }, ACME).message).toContain(
      "would run for the tenant 'acme'.",
    )
  })
})

describe('the options of a transaction', () => {
  it.each<[object, string[]]>([
    [{}, []],
    [{ isolation: 'serializable', retries: 10 }, []],
    [{ isolation: 'read uncommitted' }, ['x(): isolation']],
    [{ retries: 11 }, ['x(): retries']],
    [{ retries: -1, isolation: 'x' }, ['x(): isolation', 'x(): retries']],
    [{ retries: 0.5 }, ['x(): retries']],
    [{ retry: 1 }, ['x(): retry']],
  ])('are checked: %o', (options, subjects) => {
    let found: string[] = []
    try {
      checkTransactionOptions('x()', options as never)
    } catch (error) {
      found = (error as ConfigError).problems.map(({ subject }) => subject)
    }
    expect(found).toEqual(subjects)
  })

  it('of a nested transaction must have no other isolation level', () => {
    assertIsolation('serializable', 'serializable')
    assertIsolation('serializable', undefined)
    assertIsolation(undefined, undefined)
    expect(() => assertIsolation(undefined, 'serializable')).toThrow(
      'cannot be serializable: the outer transaction is at the default level of the database.',
    )
    expect(() => assertIsolation('repeatable read', 'serializable')).toThrow(
      'the outer transaction is repeatable read.',
    )
  })
})
