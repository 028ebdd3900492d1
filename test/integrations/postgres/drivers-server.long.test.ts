import { inspect } from 'node:util'
import { HttpError } from 'blazon'
import type { PostgresOptions } from 'blazon/postgres'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Connection, Driver } from '../../../src/integrations/postgres/driver.js'
import { PostgresError } from '../../../src/integrations/postgres/postgres-error.js'
import { createDriver } from '../../../src/integrations/postgres/with-driver.js'
import { ask } from '../../conformance/postgres-driver.js'
import { freePort } from '../free-port.js'
import { Gate } from '../gate.js'
import { until } from '../until.js'
import { describeWithServer, PASSWORD, Server, SUPERUSER } from './server.js'
import { StepProxy } from './step-proxy.js'

const UNAVAILABLE = { status: 503, code: 'DATABASE_UNAVAILABLE', expose: false }
const TIMEOUT = { status: 503, code: 'DATABASE_TIMEOUT', expose: false }
const SLEEP = { text: 'select pg_sleep(600)' }

const warnings: object[] = []
const logger = { info() {}, warn: (facts: object) => void warnings.push(facts), error() {} }

const opened: Driver[] = []
afterEach(async () => {
  warnings.length = 0
  for (const driver of opened.splice(0)) await driver.close()
})

async function open(options: PostgresOptions): Promise<Driver> {
  const driver = createDriver(options)
  await driver.open({ logger })
  opened.push(driver)
  return driver
}

/** The error with which a promise is rejected. */
async function refusal(promise: Promise<unknown>): Promise<HttpError> {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(HttpError)
  return error as HttpError
}

async function pidOf(lent: Connection): Promise<unknown> {
  const { rows } = await lent.query({ text: 'select pg_backend_pid() as pid' })
  return rows[0]?.['pid']
}

describeWithServer('the driver on a PostgreSQL server', () => {
  let server: Server
  beforeAll(async () => {
    server = await Server.start()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const count = async (where: string): Promise<number> => {
    const [row] = await server.run(`select count(*)::int as n from pg_stat_activity where ${where}`)
    return row?.['n'] as number
  }

  it('connects at the first use, and hides the password in the error if no server listens', async () => {
    const port = await freePort()
    const driver = await open({ url: `postgres://somebody:hunter2@127.0.0.1:${port}/nowhere` })
    const error = await refusal(driver.connect())
    expect(error).toMatchObject({ ...UNAVAILABLE, message: 'The database cannot be reached.' })
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('hunter2')
  })

  it('does not name a missing database in the message of the error', async () => {
    const driver = await open({ url: server.url(SUPERUSER, { database: 'nowhere' }) })
    const error = await refusal(driver.connect())
    expect(error).toMatchObject(UNAVAILABLE)
    expect(error.message).not.toContain('nowhere')
    expect(error.cause).toMatchObject({ code: '3D000' })
  })

  it('waits for a usable connection if the server has too many connections', async () => {
    await server.run('create role lonely login connection limit 1')
    const timeouts = { acquire: '5s' } as const
    const driver = await open({ url: server.url('lonely'), connections: 2, timeouts })
    const lent = await driver.connect()
    const waiting = driver.connect()
    await until(() => driver.usage().waiting === 1)
    lent.release()
    const second = await waiting
    await expect(second.query({ text: 'select 1' })).resolves.toBeDefined()
    second.release()
    expect(driver.usage()).toEqual({ lent: 0, waiting: 0 })
  })

  it("reports the server's reason if no connection becomes available in time", async () => {
    await server.run('create role lonesome login connection limit 1')
    const timeouts = { acquire: '300ms' } as const
    const driver = await open({ url: server.url('lonesome'), connections: 2, timeouts })
    const lent = await driver.connect()
    const error = await refusal(driver.connect())
    expect(error).toMatchObject({ status: 503, code: 'DATABASE_BUSY', cause: { code: '53300' } })
    lent.release()
    await expect(ask(driver, 'select 1')).resolves.toBeDefined()
  })

  it('sends application_name, but no timeouts, which poolers refuse', async () => {
    const settings = `select current_setting('application_name') as name,
      current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`
    const { rows } = await ask(await open({ url: server.url() }), settings)
    expect(rows).toEqual([{ name: 'blazon', statement: '0', idle: '0' }])
    const named = { url: server.url(), poolOptions: { application_name: 'shop' } }
    const other = await ask(await open(named), 'show application_name')
    expect(other.rows).toEqual([{ application_name: 'shop' }])
    const byUrl = { url: `${server.url()}?application_name=till`, poolOptions: Object.freeze({}) }
    const third = await ask(await open(byUrl), 'show application_name')
    expect(third.rows).toEqual([{ application_name: 'till' }])
  })

  it.each([
    ['was cleaned if something may be left', undefined, 'do $$ begin end $$', true],
    ['was not cleaned if nothing is left', undefined, 'select 1', true],
    ['is new if something may be left and onConnect set it up', true, 'do $$ begin end $$', false],
    ['is new if a library was loaded', undefined, "load 'plpgsql'", false],
  ])('lends a connection that %s', async (_, isSetUp, text, isSame) => {
    const onConnect = (client: { query(text: string): Promise<unknown> }) =>
      client.query("set app.set_up = 'yes'")
    const poolOptions = isSetUp === undefined ? {} : { onConnect }
    const driver = await open({ url: server.url(), connections: 1, poolOptions })
    const facts = "select pg_backend_pid() as pid, current_setting('app.set_up', true) as set_up"
    const [before] = (await ask(driver, facts)).rows
    await ask(driver, text)
    const lent = await driver.connect()
    await lent.query({ text: 'BEGIN' })
    await lent.query({ text })
    await lent.query({ text: 'COMMIT' })
    lent.release()
    const [after] = (await ask(driver, facts)).rows
    expect(after?.['pid'] === before?.['pid']).toBe(isSame)
    expect(after?.['set_up']).toBe(before?.['set_up'])
  })

  it('closes a connection if its cleanup is canceled', async () => {
    await using proxy = await StepProxy.before(server.port)
    const driver = await open({
      url: server.url(SUPERUSER, { port: proxy.port }),
      connections: 1,
    })
    const leave = "select set_config('own.note', 'left', false)"
    const find = "select current_setting('own.note', true) as note"
    await ask(driver, leave)
    const [clean] = (await ask(driver, find)).rows
    expect(clean?.['note'] || null).toBeNull()
    proxy.reset()
    await ask(driver, leave)
    await ask(driver, 'select 1')
    const index = proxy.steps.findIndex(({ text }) => text === 'DISCARD ALL')
    void proxy.plan(index, 'refuse')
    await ask(driver, leave)
    const [found] = (await ask(driver, find)).rows
    expect(found?.['note'] || null).toBeNull()
  })

  it('sends statements without waiting for replies', async () => {
    await server.run('create table arrivals (a int)')
    await using gate = await Gate.before(server.port)
    const driver = await open({ url: server.url(SUPERUSER, { port: gate.port }) })
    const lent = await driver.connect()
    gate.hold()
    const inserts = [1, 2, 3].map((a) =>
      lent.query({ text: 'insert into arrivals values ($1)', values: [a] }),
    )
    await until(async () => (await server.run('select a from arrivals')).length === 3)
    gate.release()
    await expect(Promise.all(inserts)).resolves.toHaveLength(3)
    lent.release()
    await driver.close()
  })

  it('replaces an idle connection that the server has ended, and logs a warning', async () => {
    const driver = await open({ url: server.url(), connections: 1 })
    const lent = await driver.connect()
    const pid = await pidOf(lent)
    lent.release()
    await server.run('select pg_terminate_backend($1)', [pid])
    await until(() => warnings.length > 0)
    expect(warnings).toEqual([{ reason: expect.stringContaining('terminating connection') }])
    await expect(ask(driver, 'select 1')).resolves.toBeDefined()
  })

  it('rejects statements on a lent connection that the server has ended', async () => {
    const driver = await open({ url: server.url(), connections: 1 })
    const lent = await driver.connect()
    await lent.query({ text: 'begin' })
    const pid = await pidOf(lent)
    await server.run('select pg_terminate_backend($1)', [pid])
    await until(async () => (await count(`pid = ${pid}`)) === 0)
    const error = await refusal(lent.query({ text: 'select 1' }))
    expect(error).toMatchObject(UNAVAILABLE)
    expect(await refusal(lent.script('select 1'))).toMatchObject(UNAVAILABLE)
    lent.release()
    await expect(ask(driver, 'select 1')).resolves.toBeDefined()
  })

  it('rejects all running statements when the server ends the connection', async () => {
    const driver = await open({ url: server.url(), connections: 1 })
    const lent = await driver.connect()
    const pid = await pidOf(lent)
    const answers = [SLEEP, SLEEP, { text: 'select 1' }].map((each) => refusal(lent.query(each)))
    answers.push(refusal(lent.script('select 1')))
    await until(async () => (await count(`pid = ${pid} and state = 'active'`)) === 1)
    await server.run('select pg_terminate_backend($1)', [pid])
    const [first, ...others] = await Promise.all(answers)
    expect(first).toMatchObject({ ...UNAVAILABLE, cause: { code: '57P01' } })
    for (const error of others) expect(error).toMatchObject(UNAVAILABLE)
    lent.destroy()
    await expect(ask(driver, 'select 1')).resolves.toBeDefined()
  })

  it('rejects all running statements when the network is cut', async () => {
    await using gate = await Gate.before(server.port)
    const url = server.url(SUPERUSER, { port: gate.port })
    const driver = await open({ url, connections: 2 })
    const lent = [await driver.connect(), await driver.connect()]
    gate.hold()
    const answers = lent.flatMap((each) =>
      [1, 2, 3].map((a) => refusal(each.query({ text: 'select $1::int', values: [a] }))),
    )
    gate.cut()
    for (const error of await Promise.all(answers)) expect(error).toMatchObject(UNAVAILABLE)
    for (const each of lent) each.destroy()
    expect(await refusal(driver.connect())).toMatchObject(UNAVAILABLE)
    gate.mend()
    gate.release()
    await expect(ask(driver, 'select 1')).resolves.toBeDefined()
    await driver.close()
  })

  it('rejects a canceled statement with a PostgresError, not with a timeout', async () => {
    const driver = await open({ url: server.url(), connections: 1 })
    const lent = await driver.connect()
    const pid = await pidOf(lent)
    const answer = lent.query(SLEEP).catch((error: unknown) => error)
    await until(async () => (await count(`pid = ${pid} and state = 'active'`)) === 1)
    await server.run('select pg_cancel_backend($1)', [pid])
    expect(await answer).toBeInstanceOf(PostgresError)
    expect(await answer).toMatchObject({ code: '57014' })
    expect((await lent.query({ text: 'select 1 as a' })).rows).toEqual([{ a: 1 }])
    lent.release()
  })

  it('rejects a statement with DATABASE_TIMEOUT when it exceeds statement_timeout', async () => {
    const driver = await open({ url: server.url(), connections: 1 })
    const lent = await driver.connect()
    await lent.query({ text: 'begin' })
    await lent.query({ text: "set local statement_timeout = '50ms'" })
    const error = await refusal(lent.query(SLEEP))
    expect(error).toMatchObject({ ...TIMEOUT, cause: { code: '57014' } })
    expect(error.cause).toBeInstanceOf(PostgresError)
    expect(await lent.query({ text: 'commit' })).toMatchObject({ command: 'ROLLBACK' })
    lent.release()
  })

  it('distinguishes a statement timeout from a cancellation in any language', async () => {
    await using gate = await Gate.before(server.port)
    gate.translate(
      ['canceling statement due to statement timeout', 'storniere wegen Zeitüberschreitung'],
      ['canceling statement due to user request', 'storniere wegen Benutzeranfrage'],
    )
    const url = server.url(SUPERUSER, { port: gate.port })
    const driver = await open({ url, connections: 1, timeouts: { statement: '1s' } })
    const lent = await driver.connect()
    await lent.query({ text: "set statement_timeout = '1s'" })
    const late = await refusal(lent.query(SLEEP))
    expect(late).toMatchObject({ ...TIMEOUT, cause: { code: '57014' } })
    expect((late.cause as Error).message).toContain('storniere')
    const pid = await pidOf(lent)
    const answer = lent.query(SLEEP).catch((error: unknown) => error)
    await until(async () => (await count(`pid = ${pid} and state = 'active'`)) === 1)
    await server.run('select pg_cancel_backend($1)', [pid])
    expect(await answer).toMatchObject({ code: '57014', message: expect.stringMatching(/^storn/) })
    lent.release()
    await driver.close()
  })

  it('rejects the commit of a transaction that the server has ended because it was idle', async () => {
    const driver = await open({ url: server.url(), connections: 1 })
    const lent = await driver.connect()
    const pid = await pidOf(lent)
    await lent.query({ text: 'begin' })
    await lent.query({ text: "set local idle_in_transaction_session_timeout = '20ms'" })
    await until(async () => (await count(`pid = ${pid}`)) === 0)
    expect(await refusal(lent.query({ text: 'commit' }))).toMatchObject(UNAVAILABLE)
    lent.destroy()
  })

  it('ends the statement of a connection that is destroyed', async () => {
    const driver = await open({ url: server.url(), connections: 1 })
    const lent = await driver.connect()
    const pid = await pidOf(lent)
    const answer = refusal(lent.query(SLEEP))
    await until(async () => (await count(`pid = ${pid} and state = 'active'`)) === 1)
    lent.destroy()
    expect(await answer).toMatchObject(UNAVAILABLE)
    await expect(ask(driver, 'select 1')).resolves.toBeDefined()
    await until(async () => (await count(`pid = ${pid}`)) === 0)
  })

  it('applies the statement timeout to each statement, not to a whole batch', async () => {
    const driver = await open({ url: server.url(), timeouts: { statement: '1s' } })
    const lent = await driver.connect()
    const naps = [1, 2, 3, 4].map((a) =>
      lent.query({ text: 'select $1::int as a, pg_sleep(0.5)', values: [a] }),
    )
    await expect(Promise.all(naps)).resolves.toHaveLength(4)
    lent.release()
  })

  it('applies no timeout to a script', async () => {
    const driver = await open({ url: server.url(), timeouts: { statement: '10ms' } })
    const lent = await driver.connect()
    await expect(lent.script('select pg_sleep(1)')).resolves.toBeUndefined()
    const error = await refusal(lent.query(SLEEP))
    expect(error).toMatchObject(TIMEOUT)
    expect(error.cause).not.toBeInstanceOf(PostgresError)
    lent.release()
    await until(async () => (await count("query = 'select pg_sleep(600)'")) === 0)
  })

  it('closes all connections when it is closed', async () => {
    const url = `${server.url()}?application_name=leaver`
    const driver = await open({ url, connections: 3 })
    const lent = await Promise.all([1, 2, 3].map(() => driver.connect()))
    expect(await count("application_name = 'leaver'")).toBe(3)
    for (const each of lent) each.release()
    await driver.close()
    await until(async () => (await count("application_name = 'leaver'")) === 0)
  })
})

describeWithServer('the driver on a PostgreSQL server with passwords', () => {
  let server: Server
  beforeAll(async () => {
    server = await Server.start({ hasPasswords: true })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('logs in with the password in the URL or from a function', async () => {
    const right = await open({ url: server.url(SUPERUSER, { password: PASSWORD }) })
    await expect(ask(right, 'select 1')).resolves.toBeDefined()
    const asked = await open({ url: server.url(), poolOptions: { password: async () => PASSWORD } })
    await expect(ask(asked, 'select 1')).resolves.toBeDefined()
  })

  it.each([['hunter2'], ['p@ss/w:rd?#%"\\ hunter2'], ['ünïcode hunter2']])(
    'rejects a wrong password with an error that does not contain it: %s',
    async (password) => {
      const driver = await open({ url: server.url(SUPERUSER, { password }) })
      const error = await refusal(driver.connect())
      expect(error).toMatchObject({ ...UNAVAILABLE, cause: { code: '28P01' } })
      const printed = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error)
      expect(printed).not.toContain('hunter2')
      expect(printed + error.stack).not.toContain(encodeURIComponent(password))
      expect(`${error.message} ${error.stack}`).not.toContain(SUPERUSER)
    },
  )

  it('rejects if the password is missing or the password function fails', async () => {
    const driver = await open({ url: server.url() })
    expect(await refusal(driver.connect())).toMatchObject(UNAVAILABLE)
    const fail = () => Promise.reject(new Error('No vault'))
    const failing = await open({ url: server.url(), poolOptions: { password: fail } })
    const error = await refusal(failing.connect())
    expect(error).toMatchObject({ ...UNAVAILABLE, cause: { message: 'No vault' } })
  })
})

describeWithServer('the driver on a failing PostgreSQL server', () => {
  let server: Server
  beforeAll(async () => {
    server = await Server.start()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it.each(['stop', 'kill9'] as const)(
    'reconnects after the server was stopped and started: %s',
    async (end) => {
      const driver = await open({ url: server.url(), connections: 3 })
      const idle = await Promise.all([driver.connect(), driver.connect()])
      for (const each of idle) each.release()
      const lent = await driver.connect()
      const answer = refusal(lent.query(SLEEP))
      await server[end]()
      expect(await answer).toMatchObject(UNAVAILABLE)
      lent.destroy()
      // The driver may lend a connection that has ended before it has noticed the end.
      expect(await refusal(ask(driver, 'select 1'))).toMatchObject(UNAVAILABLE)
      await server.start()
      await until(async () => {
        const { rows } = await ask(driver, 'select 1 as a').catch(() => ({ rows: [] }))
        return rows.length === 1
      })
    },
  )

  it('waits no longer than its timeouts if the server is paused', async () => {
    const timeouts = { acquire: '300ms', statement: '100ms' }
    const driver = await open({ url: server.url(), connections: 2, timeouts })
    const lent = await driver.connect()
    await lent.query({ text: 'select 1' })
    server.pause()
    const answers = [1, 2, 3].map(() => refusal(lent.query({ text: 'select 1' })))
    for (const error of await Promise.all(answers)) expect(error).toMatchObject(TIMEOUT)
    lent.release()
    // Some callers connect, and some wait for them. Neither get DATABASE_BUSY, because connections are not the cause.
    const connects = [1, 2, 3, 4].map(() => refusal(driver.connect()))
    for (const error of await Promise.all(connects)) expect(error).toMatchObject(UNAVAILABLE)
    server.resume()
    await until(async () => (await ask(driver, 'select 1').catch(() => null)) !== null)
  })

  it('closes even if the server is paused', async () => {
    const driver = await open({ url: server.url(), connections: 2 })
    const lent = await Promise.all([driver.connect(), driver.connect()])
    lent[0]?.release()
    server.pause()
    lent[1]?.destroy()
    await driver.close()
    server.resume()
  })
})
