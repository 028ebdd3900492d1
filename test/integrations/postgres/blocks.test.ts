import { runWithoutTenant, runWithTenant, TenantContext } from 'blazon'
import { PostgresError } from 'blazon/postgres'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Sessions } from '../../../src/integrations/postgres/sessions/sessions.js'
import type { Statements } from '../../../src/plugin/index.js'
import { turns } from '../../journeys/turns.js'
import { acceptingDriver } from './accepting-driver.js'

/** Sessions over connections that accept every statement, with a list of what each of them has received. */
function open({ usesTenants = true, tables = ['orders', 'line$items'], ...more }: Options = {}) {
  const { statements = { areObserved: false }, conflicts = 0 } = more
  let left = conflicts
  const { driver, log } = acceptingDriver({
    rowsOf: (text) => (text.includes('relrowsecurity') ? tables.map((name) => ({ name })) : []),
    refuse: (text) => (text === 'COMMIT' && left-- > 0 ? CONFLICT : undefined),
  })
  const sessions = new Sessions(driver, {
    ...{ tenantRole: 'one', allTenantsRole: 'every', statementMs: 1000 },
    ...{ idleInTransactionMs: 1000, isEmbedded: false },
    logger: () => ({ info() {}, warn() {}, error() {} }),
  })
  sessions.start(usesTenants, statements as Statements)
  const query = (text: string) => sessions.query({ text })
  return { sessions, query, log }
}

interface Options {
  readonly usesTenants?: boolean
  readonly tables?: string[]
  readonly statements?: object
  /** How many of the first commits conflict with another transaction. */
  readonly conflicts?: number
}

const CONFLICT = new PostgresError('conflict', { code: '40001' })

const settled = (run: Promise<unknown>) =>
  run.then(
    () => 'done',
    (error: Error & { code?: string }) => error.code ?? error.name,
  )

const SWITCH = 'TenantSwitchError'

describe('a statement', () => {
  it('runs in a transaction of its own, for its tenant, for all tenants or for nobody', async () => {
    const { query, log } = open()
    await runWithTenant('acme', () => query('select 1'))
    await runWithoutTenant('why', () => query('select 2'))
    await query('select 3')
    expect(log.filter((line) => /^\d as /.test(line))).toEqual([
      '1 as one acme',
      '2 as every',
      '4 as one',
    ])
    const plain = open({ usesTenants: false })
    await plain.query('select 1')
    await runWithTenant('acme', () => plain.query('select 2'))
    expect(plain.log).toEqual([
      ...['1 select 1', '1 release'],
      ...['2 BEGIN', '2 as one acme', '2 select 2', '2 COMMIT', '2 release'],
    ])
  })

  it('without a tenant cannot use a tenant table, whose names are read once', async () => {
    const { query, log } = open()
    expect(await settled(query('select * from orders'))).toBe('TENANT_REQUIRED')
    expect(await settled(query('select * from plans'))).toBe('done')
    for (const text of ['delete from "orders"', 'select * from ORDERS', 'table line$items'])
      expect([text, await settled(query(text))]).toEqual([text, 'TENANT_REQUIRED'])
    for (const text of ['table orders_old', 'table my$orders', 'table line'])
      expect([text, await settled(query(text))]).toEqual([text, 'done'])
    expect(log.filter((line) => line.includes('relrowsecurity'))).toHaveLength(1)
    expect(await settled(runWithTenant('acme', () => query('select * from orders')))).toBe('done')
  })

  it('in a block must run for the owner of the block, or for all tenants', async () => {
    const { sessions, query, log } = open()
    const within = (run: () => Promise<unknown>) =>
      settled(runWithTenant('acme', () => sessions.block(sessions.owner, run)))
    expect(await within(() => runWithTenant('globex', () => query('select 1')))).toBe(SWITCH)
    expect(await within(() => TenantContext.run(undefined, () => query('select 1')))).toBe(SWITCH)
    log.length = 0
    const all = () => runWithoutTenant('why', () => query('select 1'))
    expect(
      await within(async () => [await query('select 0'), await all(), await query('select 2')]),
    ).toBe('done')
    expect(log).toEqual(
      [
        ...['BEGIN', 'as one acme', 'select 0', 'SAVEPOINT part_1', 'as every', 'select 1'],
        ...['as one acme', 'RELEASE SAVEPOINT part_1', 'select 2', 'COMMIT', 'release'],
      ].map((line) => `4 ${line}`),
    )
  })

  it('of the package runs as the role of all tenants, if there are tenants', async () => {
    const own = { text: 'select own' }
    const ownersOf = async (usesTenants: boolean) => {
      const { sessions, log } = open({ usesTenants })
      await sessions.queryOwnTable(own)
      await runWithTenant('acme', () => sessions.queryOwnTable(own))
      return log.filter((line) => /^\d as /.test(line)).map((line) => line.slice(2))
    }
    expect(await ownersOf(true)).toEqual(['as every', 'as every'])
    expect(await ownersOf(false)).toEqual(['as every'])
  })

  it('is reported to observers with its end, as are those of the package', async () => {
    const reports: unknown[] = []
    const begin = ({ text }: { text: string }) => ({
      end: ({ command }: { command: string }) => reports.push([text, command]),
      fail: (error: Error) => reports.push([text, error.message]),
    })
    const { sessions, query } = open({ statements: { areObserved: true, begin } })
    await query('select 1')
    await query('commit').catch(() => undefined)
    await sessions.queryOwnTable({ text: 'select own' })
    expect(reports).toEqual([
      ['select 1', 'select'],
      ['commit', expect.stringMatching(/^COMMIT cannot be sent/)],
      ['select own', 'select'],
    ])
  })

  it('of the login joins the open transaction, and then the owner is as before', async () => {
    const { sessions, query, log } = open()
    const asLogin = () => sessions.asLogin((send) => send({ text: 'select own' }))
    await runWithTenant('acme', () =>
      sessions.block(sessions.owner, async () => {
        await asLogin()
        await query('select 1')
      }),
    )
    expect(log.slice(2).map((line) => line.slice(2))).toEqual([
      ...['SAVEPOINT part_1', 'as none', 'select own', 'as one acme', 'RELEASE SAVEPOINT part_1'],
      ...['select 1', 'COMMIT', 'release'],
    ])
    const alone = ['BEGIN', 'as', 'select own', 'COMMIT', 'release']
    log.length = 0
    await runWithTenant('acme', asLogin)
    expect(log.map((line) => line.slice(2))).toEqual(alone)
    log.length = 0
    await sessions.block(null, asLogin)
    expect(log.map((line) => line.slice(2))).toEqual([
      ...alone.slice(0, 2),
      ...['SAVEPOINT part_1', 'select own', 'RELEASE SAVEPOINT part_1'],
      ...alone.slice(3),
    ])
  })
})

describe('a block', () => {
  it('is repeated after a pause for as many conflicts as its retries, but after no other error', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { sessions } = open({ conflicts: 9 })
    let attempts = 0
    const run = async () => attempts++
    const failed = settled(sessions.block(null, run, { retries: 2 }))
    for (const [count, pauseMs] of [
      [1, 20],
      [2, 40],
    ] as const) {
      await turns(5)
      vi.advanceTimersByTime(pauseMs - 1)
      await turns(5)
      expect(attempts).toBe(count)
      vi.advanceTimersByTime(1)
    }
    expect([await failed, attempts]).toEqual(['40001', 3])
    const other = async () => {
      attempts++
      throw new Error('no')
    }
    expect(await settled(sessions.block(null, other, { retries: 2 }))).toBe('Error')
    expect([attempts, vi.getTimerCount()]).toEqual([4, 0])
  })

  it('without a tenant reads the names of the tenant tables before it takes its connection', async () => {
    const { sessions, query, log } = open()
    await sessions.block(sessions.owner, () => query('select 1'))
    expect(log).toEqual([
      ...[expect.stringContaining('relrowsecurity'), '1 release'],
      ...['2 BEGIN', '2 as one', '2 select 1', '2 COMMIT', '2 release'],
    ])
  })

  it('within a block has the isolation level of the outer one', async () => {
    const { sessions, log } = open()
    const outer = { isolation: 'serializable' } as const
    const nest = (isolation?: 'serializable' | 'read committed') =>
      sessions.block(
        null,
        () => sessions.block(null, async () => 1, { ...(isolation && { isolation }) }),
        outer,
      )
    const plain = open({ usesTenants: false })
    expect(await settled(nest('serializable'))).toBe('done')
    expect(log[0]).toBe('1 BEGIN ISOLATION LEVEL SERIALIZABLE')
    expect(await settled(nest())).toBe('done')
    await expect(nest('read committed')).rejects.toThrow('cannot be read committed')
    const inside = plain.sessions.block(null, () =>
      plain.sessions.block(null, async () => 1, outer),
    )
    await expect(inside).rejects.toThrow('at the default level of the database')
  })

  it('for another tenant is refused, and one for all tenants is nested', async () => {
    const { sessions, log } = open()
    const nested = (run: () => Promise<unknown>) =>
      settled(runWithTenant('acme', () => sessions.block(sessions.owner, run)))
    const block = () => sessions.block(sessions.owner, async () => 1)
    expect(await nested(() => runWithTenant('globex', block))).toBe(SWITCH)
    log.length = 0
    expect(await nested(() => runWithoutTenant('why', block))).toBe('done')
    expect(log.map((line) => line.slice(2))).toContain('as every')
  })

  it('is not joined by an in-process request', async () => {
    const { sessions, query, log } = open()
    const requestOf = (id: string) =>
      ({ id, origin: {}, depth: 0, host: {} }) as unknown as Parameters<typeof TenantContext.run>[0]
    const outer = requestOf('acme')
    const inBlock = (run: () => Promise<unknown>) =>
      TenantContext.run(outer, () => sessions.block(sessions.owner, run))
    await inBlock(async () => {
      await query('select outer')
      await TenantContext.run(requestOf('globex'), () => query('select inner'))
      const lost = TenantContext.run(undefined, () => query('select lost'))
      expect(await settled(lost)).toBe(SWITCH)
      await TenantContext.run(outer, () => query('select outer'))
    })
    const selects = log.filter((line) => / select (?:inner|lost|outer)/.test(line))
    expect(selects).toEqual(['1 select outer', '2 select inner', '1 select outer'])
  })

  it('runs tasks after its commit, outside of the block and for the tenant that has given them', async () => {
    const { sessions, query, log } = open()
    await runWithTenant('acme', () =>
      sessions.block(sessions.owner, async () => {
        await sessions.afterCommit(() => query('select task'))
        await query('select 1')
      }),
    )
    expect(log.map((line) => line.replace(/as one acme/, 'acme'))).toEqual([
      ...['1 BEGIN', '1 acme', '1 select 1', '1 COMMIT', '1 release'],
      ...['2 BEGIN', '2 acme', '2 select task', '2 COMMIT', '2 release'],
    ])
    const done: string[] = []
    await sessions.afterCommit(() => done.push('at once'))
    expect(done).toEqual(['at once'])
  })
})

describe('a stream', () => {
  it('runs its tasks outside of the block in which its reader reads the end', async () => {
    const { sessions, query, log } = open({ usesTenants: false })
    const stream = sessions.stream(async function* () {
      await sessions.afterCommit(() => query('select task'))
      yield 1
    })
    await stream.next()
    await sessions.block(null, () => stream.next())
    expect(log.filter((line) => line.includes('task'))).toEqual(['3 select task'])
  })

  async function read<T>(items: AsyncIterable<T>) {
    const list: T[] = []
    for await (const item of items) list.push(item)
    return list
  }

  it('has a transaction for the tenant of the code that has made it', async () => {
    const { sessions, query, log } = open()
    const stream = await runWithTenant('acme', async () =>
      sessions.stream(
        async function* () {
          await query('select 1')
          await sessions.afterCommit(() => query('select task'))
          yield TenantContext.current()?.id
        },
        { isolation: 'repeatable read' },
      ),
    )
    expect(log).toEqual([])
    expect(await read(stream)).toEqual(['acme'])
    expect(log.map((line) => line.replace(/as one acme/, 'acme'))).toEqual([
      ...[
        '1 BEGIN ISOLATION LEVEL REPEATABLE READ',
        '1 acme',
        '1 select 1',
        '1 COMMIT',
        '1 release',
      ],
      ...['2 BEGIN', '2 acme', '2 select task', '2 COMMIT', '2 release'],
    ])
  })

  it('within a block is part of it, if it has the same owner and isolation level', async () => {
    const { sessions, query, log } = open({ usesTenants: false })
    const items = async function* () {
      await query('select 1')
      yield 1
    }
    const nest = (isolation?: 'serializable', tenant?: string) =>
      sessions.block(null, () => {
        const stream = () => read(sessions.stream(items, { ...(isolation && { isolation }) }))
        return tenant === undefined ? stream() : runWithTenant(tenant, stream)
      })
    expect(await nest()).toEqual([1])
    expect(log).toEqual(['1 BEGIN', '1 as', '1 select 1', '1 COMMIT', '1 release'])
    await expect(nest('serializable')).rejects.toThrow('cannot be serializable')
    expect(await settled(nest(undefined, 'acme'))).toBe(SWITCH)
  })
})

it('closed sessions keep no async context', async () => {
  const { sessions } = open({ usesTenants: false })
  await sessions.block(null, async () => {
    sessions.close()
    // Without the context, the block is not found, and the task runs at once.
    let isDone = false
    await sessions.afterCommit(() => {
      isDone = true
    })
    expect(isDone).toBe(true)
  })
})
