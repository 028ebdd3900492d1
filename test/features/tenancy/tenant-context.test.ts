import { setTimeout as delay } from 'node:timers/promises'
import {
  App,
  Controller,
  Get,
  getTenantId,
  HttpError,
  requireTenantId,
  runWithoutTenant,
  runWithTenant,
  Tenant,
  TenantContext,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

describe('code outside a scope', () => {
  it('gets undefined from getTenantId() and TenantContext.current()', () => {
    expect(getTenantId()).toBeUndefined()
    expect(TenantContext.current()).toBeUndefined()
  })

  it('gets an error with a remedy from requireTenantId()', () => {
    expect(() => requireTenantId()).toThrow(/runWithTenant\(id, …\)/)
    try {
      requireTenantId()
    } catch (error) {
      expect(HttpError.is(error) && [error.status, error.code]).toEqual([400, 'TENANT_REQUIRED'])
    }
  })
})

describe('runWithTenant', () => {
  it('returns the result of the function, or throws its error', async () => {
    expect(runWithTenant('acme', () => getTenantId())).toBe('acme')
    expect(await runWithTenant('acme', async () => `${await delay(1)}${getTenantId()}`)).toBe(
      'undefinedacme',
    )
    const thrown = new Error('x')
    const fail = () =>
      runWithTenant('acme', () => {
        throw thrown
      })
    expect(fail).toThrow(thrown)
    expect(getTenantId()).toBeUndefined()
  })

  it('can be nested, and its scope ends when the function returns', () => {
    runWithTenant('outer', () => {
      const outer = TenantContext.current()
      runWithTenant('inner', () => {
        expect(getTenantId()).toBe('inner')
        expect(TenantContext.current()?.origin).toBe(outer?.origin)
      })
      expect(TenantContext.current()).toBe(outer)
    })
    expect(getTenantId()).toBeUndefined()
  })

  it('gives each scope a different origin', () => {
    const scopes = ['a', 'a'].map((id) => runWithTenant(id, () => TenantContext.current()))
    expect(scopes[0]?.origin).not.toBe(scopes[1]?.origin)
    expect(Object.isFrozen(scopes[0])).toBe(true)
  })

  it.each([
    undefined,
    null,
    '',
    0,
    {},
    ['acme'],
    '__proto__',
    'constructor',
    'prototype',
    'undefined',
    'null',
    'a\nb',
    'a\u0000',
    'a'.repeat(257),
  ])('refuses the invalid id %j', (id) => {
    let isCalled = false
    const run = () =>
      runWithTenant(id as string, () => {
        isCalled = true
      })
    expect(run).toThrow(TypeError)
    expect(run).toThrow(/runWithTenant\(\): the (?:type of the )?tenant ID is/)
    expect(isCalled).toBe(false)
  })

  it.each(['acme', 'tenant-1', 'org:12', 'Zürich', 'a b', '42', '7'.repeat(256)])(
    'accepts the id %s',
    (id) => {
      expect(runWithTenant(id, getTenantId)).toBe(id)
    },
  )

  it('accepts all characters in an id except control characters and lone surrogates', () => {
    const characters = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code))
    const refused = characters.filter((character) => {
      try {
        return runWithTenant(`a${character}`, getTenantId) === null
      } catch {
        return true
      }
    })
    expect(refused).toEqual(characters.filter((each) => /[\p{Cc}\p{Cs}]/u.test(each)))
  })

  it.each(['\ud800', 'a\udc00b', '\udc00\ud800'])(
    'refuses an id that would equal another id in UTF-8',
    (id) => {
      expect(() => runWithTenant(id, getTenantId)).toThrow(TypeError)
      expect(runWithTenant('\ud83d\ude00', getTenantId)).toBe('\ud83d\ude00')
    },
  )

  it('keeps its scope for a query that begins only when it is awaited', async () => {
    const query = { then: (done: (id: unknown) => void) => done(getTenantId()) }
    expect(await runWithTenant('acme', () => query)).toBe('acme')
    const outer = runWithTenant('acme', () => runWithoutTenant('a test', () => query))
    expect(await outer).toBeUndefined()
  })

  it('keeps its scope for a generator that is read later', async () => {
    const seen: unknown[] = []
    function* list(): Generator<unknown, void, unknown> {
      try {
        while (true) seen.push(yield getTenantId())
      } catch (error) {
        seen.push(error, getTenantId())
      } finally {
        seen.push('end', getTenantId())
      }
    }
    const values = runWithTenant('acme', list)
    expect(values.next().value).toBe('acme')
    expect(runWithTenant('other', () => values.next('sent')).value).toBe('acme')
    expect(values.return(undefined)).toEqual({ done: true, value: undefined })
    expect(seen).toEqual(['sent', 'end', 'acme'])
    seen.length = 0
    const failing = runWithTenant('acme', list)
    failing.next()
    failing.throw('broken')
    expect(seen).toEqual(['broken', 'acme', 'end', 'acme'])
    expect(getTenantId()).toBeUndefined()
  })

  it('keeps its scope for an async generator', async () => {
    async function* list() {
      yield getTenantId()
      await delay(1)
      yield getTenantId()
    }
    const read = async (values: AsyncIterable<unknown>) => {
      const seen: unknown[] = []
      for await (const value of values) seen.push(value, getTenantId())
      return seen
    }
    expect(await read(runWithTenant('acme', list))).toEqual(['acme', undefined, 'acme', undefined])
    const none = runWithTenant('acme', () => runWithoutTenant('a test', list))
    expect(await read(none)).toEqual([undefined, undefined, undefined, undefined])
  })

  it('returns promises and objects unchanged', () => {
    const values = [Promise.resolve(1), { next: () => getTenantId() }, null, undefined]
    for (const value of values) expect(runWithTenant('acme', () => value)).toBe(value)
  })

  it('keeps 100 simultaneous scopes apart', async () => {
    const ids = Array.from({ length: 100 }, (_, number) => `t-${number}`)
    const seen = await Promise.all(
      ids.map((id) =>
        runWithTenant(id, async () => {
          await delay(Math.random() * 5)
          const first = getTenantId()
          await runWithTenant('other', () => delay(Math.random() * 5))
          return first === getTenantId() ? first : 'changed'
        }),
      ),
    )
    expect(seen).toEqual(ids)
  })
})

describe('TenantContext', () => {
  it('binds a function to the current scope, or to no scope', () => {
    function read(this: unknown, ...args: unknown[]) {
      return [getTenantId(), this, args]
    }
    const outside = TenantContext.bind(read)
    const bound = runWithTenant('acme', () => TenantContext.bind(read))
    expect(bound.call('self', 1, 2)).toEqual(['acme', 'self', [1, 2]])
    expect(runWithTenant('zeta', () => bound.call('self'))).toEqual(['acme', 'self', []])
    expect(runWithTenant('zeta', () => outside.call(null))).toEqual([undefined, null, []])
  })

  it('runs a function in a stored scope', () => {
    const scope = runWithTenant('acme', () => TenantContext.current())
    expect(TenantContext.run(scope, getTenantId)).toBe('acme')
    expect(TenantContext.run(undefined, getTenantId)).toBeUndefined()
  })
})

describe('runWithoutTenant', () => {
  it('runs the function without a tenant, and returns its result', () => {
    const seen = runWithTenant('acme', () => [
      runWithoutTenant('report', () => getTenantId() ?? 'nobody'),
      getTenantId(),
    ])
    expect(seen).toEqual(['nobody', 'acme'])
  })

  it.each(['', ' ', undefined])('refuses the reason %j', (reason) => {
    expect(() => runWithoutTenant(reason as string, () => 1)).toThrow(
      /the reason is missing or empty/,
    )
  })

  it('writes an entry to the log of the application that handles the request', async () => {
    @Tenant()
    @Controller()
    class ReportController {
      @Get()
      report() {
        return runWithoutTenant('usage report', () => ({ tenant: getTenantId() ?? null }))
      }
    }
    const options = { tenant: {}, controllers: [ReportController] }
    const other = await TestApp.create(options)
    const app = await TestApp.create(options)
    const { body } = await app.asTenant('acme').request().get('/')
    expect(body.data).toEqual({ tenant: null })
    expect(app.logs).toEqual([
      {
        level: 'info',
        facts: { reason: 'usage report', tenant: 'acme' },
        message: 'Run without a tenant',
      },
    ])
    expect(other.logs).toEqual([])
    await app.close()
    await other.close()
  })
})

describe('a scope', () => {
  it('has the same host as the other scopes of its application', async () => {
    @Controller()
    class HostController {
      @Tenant({ optional: true })
      @Get()
      host() {
        hosts.push(TenantContext.current()?.host)
        runWithTenant('nested', () => hosts.push(TenantContext.current()?.host))
      }
    }
    const hosts: unknown[] = []
    const apps = await Promise.all(
      [1, 2].map(() => TestApp.create({ controllers: [HostController] })),
    )
    for (const app of [...apps, ...apps]) await app.request().get('/')
    const [first, , second] = hosts
    expect(first).toBeTypeOf('object')
    expect(first).not.toBe(second)
    expect(hosts).toEqual([first, first, second, second, first, first, second, second])
    await Promise.all(apps.map((app) => app.close()))
    await new App().close()
  })
})
