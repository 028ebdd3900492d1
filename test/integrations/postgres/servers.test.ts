import { describe, expect, it } from 'vitest'
import type { Connection } from '../../../src/integrations/postgres/driver.js'
import { clientOf, poolOptions } from '../../../src/integrations/postgres/drivers/pg-package.js'
import {
  Servers,
  serverUrls,
  sessionAttrsOf,
} from '../../../src/integrations/postgres/drivers/servers.js'

const TWO = 'postgres://user:p%40ss@one:5432,two/shop?application_name=x'

describe('the servers of a URL', () => {
  it.each([
    ['postgres://one/shop', ['postgres://one/shop']],
    ['postgres://one,two', ['postgres://one', 'postgres://two']],
    [
      TWO,
      [
        'postgres://user:p%40ss@one:5432/shop?application_name=x',
        'postgres://user:p%40ss@two/shop?application_name=x',
      ],
    ],
    ['postgres://u:p@ss@a,b', ['postgres://u:p@ss@a', 'postgres://u:p@ss@b']],
    ['postgres://u@a,b?x=1,2', ['postgres://u@a?x=1,2', 'postgres://u@b?x=1,2']],
    ['postgres://u@/shop?host=/run', ['postgres://u@/shop?host=/run']],
  ])('are the hosts of %s', (url, urls) => {
    expect(serverUrls(url)).toEqual(urls)
  })

  it('are used one after the other, each left only once by concurrent callers', () => {
    const servers = new Servers(TWO)
    expect(servers.count).toBe(2)
    const [first] = serverUrls(TWO)
    expect(servers.url).toBe(first)
    servers.leave(first as string)
    servers.leave(first as string)
    expect(servers.url).toBe(serverUrls(TWO)[1])
    servers.leave(servers.url)
    expect(servers.url).toBe(first)
  })

  it('can have any state by default', () => {
    expect(sessionAttrsOf('postgres://one/shop')).toBe('any')
    expect(sessionAttrsOf('postgres://one/shop?a=b&target_session_attrs=standby#x')).toBe('standby')
  })

  const state = (isStandby: boolean, isReadOnly: boolean) => {
    const sent: string[] = []
    const query = async ({ text }: { text: string }) => {
      sent.push(text)
      return { rows: [{ isStandby, isReadOnly }] }
    }
    return { connection: { query } as unknown as Connection, sent }
  }

  it.each([
    ['read-write', [true, false, false]],
    ['read-only', [false, true, true]],
    ['primary', [true, true, false]],
    ['standby', [false, false, true]],
  ])('are accepted as %s by their state', async (attrs, expected) => {
    const servers = new Servers(`postgres://one/shop?target_session_attrs=${attrs}`)
    const states = [state(false, false), state(false, true), state(true, true)]
    const checked = states.map(({ connection }) => servers.check(connection))
    const outcomes = await Promise.allSettled(checked)
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(expected)
    const refused = outcomes.find((each) => each.status === 'rejected')
    expect(String(refused?.reason)).toBe(
      `Error: The server is not ${attrs} (target_session_attrs).`,
    )
  })

  it('are not asked for their state if any state is accepted', async () => {
    const { connection, sent } = state(true, true)
    await new Servers('postgres://one/shop').check(connection)
    await new Servers('postgres://one/shop?target_session_attrs=any').check(connection)
    expect(sent).toEqual([])
  })
})

const LIMITS = { max: 7, connectionTimeoutMillis: 900 }

describe('the options of the pool', () => {
  it('are defaults that the application can replace, except for the limits and the protocol', () => {
    const fixed = { ...LIMITS, pipeline: true, binary: false }
    expect(poolOptions({ url: TWO }, LIMITS)).toEqual({
      fallback_application_name: 'blazon',
      keepAlive: true,
      idleTimeoutMillis: 30_000,
      maxLifetimeSeconds: 1800,
      ...fixed,
    })
    const own = { keepAlive: false, maxLifetimeSeconds: 0, binary: true, pipeline: false }
    expect(poolOptions({ url: TWO, poolOptions: own }, LIMITS)).toMatchObject({
      keepAlive: false,
      maxLifetimeSeconds: 0,
      ...fixed,
    })
  })

  it('accept frozen options of TLS, which pg changes', () => {
    const ssl = Object.freeze({ key: 'k' })
    const built = poolOptions({ url: TWO, poolOptions: { ssl } }, LIMITS)['ssl']
    expect(built).toEqual(ssl)
    expect(Object.isFrozen(built)).toBe(false)
    expect(poolOptions({ url: TWO, poolOptions: { ssl: true } }, LIMITS)['ssl']).toBe(true)
  })

  it('give each client the current server, and the function that returns the password', () => {
    const made: object[] = []
    class Client {
      password: unknown = 'of the URL'
      constructor(options: object) {
        made.push(options)
      }
    }
    const servers = new Servers(TWO)
    const password = () => 'secret'
    const pg = { Client } as never
    const Own = clientOf(pg, { password }, servers)
    expect(new Own({ max: 1, connectionString: 'x' }).password).toBe(password)
    servers.leave(servers.url)
    new Own({ max: 1 })
    expect(made).toEqual(serverUrls(TWO).map((connectionString) => ({ max: 1, connectionString })))
    expect(new (clientOf(pg, {}, servers))({}).password).toBe('of the URL')
  })
})
