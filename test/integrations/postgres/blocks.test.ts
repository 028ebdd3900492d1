import { runWithoutTenant, runWithTenant, TenantContext } from 'blazon'
import { describe, expect, it } from 'vitest'
import type { Connection, Driver, Statement } from '../../../src/integrations/postgres/driver.js'
import { Sessions } from '../../../src/integrations/postgres/sessions/sessions.js'
import type { Statements } from '../../../src/plugin/index.js'

/** Sessions over connections that accept every statement, with a list of what each of them has received. */
function open({ usesTenants = true, tables = ['orders'] } = {}) {
  const log: string[] = []
  let lent = 0
  const rowsOf = (text: string) =>
    text.includes('relrowsecurity') ? tables.map((name) => ({ name })) : []
  const connect = async (): Promise<Connection> => {
    const number = ++lent
    const note = ({ text, values = [] }: Statement) => {
      // Of the settings, only the role and the tenant are of interest.
      const isSetting = text.includes('set_config')
      const owner = values.length > 2 ? values.slice(2) : text.includes("'role'") ? values : []
      log.push(`${number} ${isSetting ? `as ${owner.join(' ')}`.trim() : text}`)
      return { rows: rowsOf(text), rowCount: 0, command: text.split(' ')[0] as string, fields: [] }
    }
    return {
      isLost: false,
      query: async (statement) => note(statement),
      sendTogether: (statements) => statements.map(async (each) => note(each)),
      script: async () => {},
      release: () => void log.push(`${number} release`),
      destroy: () => void log.push(`${number} destroy`),
    }
  }
  const driver = { size: 2, isEmbedded: false, connect } as unknown as Driver
  const sessions = new Sessions(driver, {
    ...{ tenantRole: 'one', allTenantsRole: 'every', statementMs: 1000 },
    ...{ idleInTransactionMs: 1000, isEmbedded: false },
    logger: () => ({ info() {}, warn() {}, error() {} }),
  })
  sessions.start(usesTenants, { areObserved: false } as Statements)
  const query = (text: string) => sessions.query({ text })
  return { sessions, query, log }
}

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
    expect(await settled(query('delete from "orders"'))).toBe('TENANT_REQUIRED')
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
    log.length = 0
    await runWithTenant('acme', asLogin)
    expect(log.map((line) => line.slice(2))).toEqual([
      ...['BEGIN', 'as', 'select own', 'COMMIT', 'release'],
    ])
  })
})

describe('a block', () => {
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
      await TenantContext.run(outer, () => query('select outer'))
    })
    const selects = log.filter((line) => line.includes('select'))
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
