import { inspect } from 'node:util'
import {
  type Clock as ClockPort,
  Controller,
  defineOption,
  Get,
  getTenantId,
  Injectable,
  InjectionToken,
  inject,
  type Plugin,
  type Provider,
  runWithTenant,
  Tenant,
  tenantScoped,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TenantInstances } from '../../../src/features/tenancy/tenant-scoped.js'

/** Has the members that a proxy can break: a private field, a getter, a writable field. */
class Notes {
  readonly #list: string[] = []
  limit = 10
  readonly owner = () => this.tenant
  constructor(readonly tenant: string) {}
  get count(): number {
    return this.#list.length
  }
  add(note: string): this {
    this.#list.push(note)
    return this
  }
  all(): readonly string[] {
    return this.#list
  }
}

const NotesToken = new InjectionToken<Notes>('Notes')
let made: string[]
let disposed: string[]
let app: TestApp

beforeEach(() => {
  made = []
  disposed = []
})
afterEach(() => app?.close())

const make = (id: string) => {
  made.push(id)
  return new Notes(id)
}
const dispose = (_: Notes, id: string) => void disposed.push(id)

async function start(provider: Provider): Promise<Notes> {
  app = await TestApp.create({ providers: [provider] })
  return app.get(NotesToken)
}

describe('a tenant-scoped provider', () => {
  it('creates an instance for each tenant at its first use', async () => {
    const notes = await start(tenantScoped(NotesToken, make))
    expect(made).toEqual([])
    runWithTenant('a', () => notes.add('of a'))
    runWithTenant('b', () => notes.add('of b').add('and more'))
    const read = () => [notes.tenant, notes.count, notes.all(), notes.limit]
    expect(runWithTenant('a', read)).toEqual(['a', 1, ['of a'], 10])
    expect(runWithTenant('b', read)).toEqual(['b', 2, ['of b', 'and more'], 10])
    expect(made).toEqual(['a', 'b'])
  })

  it('supports assignment, `in` and `instanceof`', async () => {
    const notes = await start(tenantScoped(NotesToken, make))
    runWithTenant('a', () => {
      notes.limit = 3
    })
    const read = () => [notes.limit, 'limit' in notes, notes instanceof Notes]
    expect(runWithTenant('a', read)).toEqual([3, true, true])
    expect(runWithTenant('b', read)).toEqual([10, true, true])
  })

  it('runs a detached method on the instance of the current tenant', async () => {
    const notes = await start(tenantScoped(NotesToken, make))
    runWithTenant('a', () => notes.add('of a'))
    const taken = runWithTenant('a', () => notes.all)
    expect(runWithTenant('b', () => taken())).toEqual([])
    expect(runWithTenant('a', () => taken())).toEqual(['of a'])
    const owner = runWithTenant('a', () => notes.owner)
    expect(runWithTenant('b', () => owner())).toBe('b')
  })

  it('throws without a tenant, but can be printed', async () => {
    const notes = await start(tenantScoped(NotesToken, make))
    expect(() => notes.count).toThrow(/This code runs without a tenant/)
    expect(() => notes.all()).toThrow(/This code runs without a tenant/)
    expect(() => {
      notes.limit = 1
    }).toThrow(/This code runs without a tenant/)
    expect(inspect(notes)).toContain('{}')
    expect(notes instanceof Notes).toBe(false)
    expect(made).toEqual([])
  })

  it('allows plugins to find the decorated methods of other providers', async () => {
    const Every = defineOption<string, 'method'>('Every', { on: 'method', anywhere: true })
    @Injectable()
    class Reports {
      @Every('1m')
      send() {}
    }
    const found: unknown[] = []
    const plugin: Plugin = {
      name: 'every',
      setup: ({ find }) => void found.push(...find(Every).map(({ value }) => value)),
    }
    const providers = [tenantScoped(NotesToken, make), Reports]
    app = await TestApp.create({ providers, plugins: [plugin] })
    expect(found).toEqual(['1m'])
    expect(made).toEqual([])
  })

  it.each([
    ['an instance', 100, ['a']],
    ['an instance that another one had displaced', 1, ['a', 'b']],
  ])('is reported if the disposal of %s does not finish in time', async (_, max, ids) => {
    const dispose = (_: Notes, id: string) => id === 'a' && new Promise<void>(() => {})
    const slow = await TestApp.create({
      providers: [tenantScoped(NotesToken, make, { dispose, max })],
      timeouts: { onClose: '20ms' },
    })
    for (const id of ids) runWithTenant(id, () => slow.get(NotesToken).add('x'))
    await expect(slow.close()).rejects.toMatchObject({
      errors: [new Error('onClose of a provider did not end within 20 ms (timeouts.onClose)')],
    })
  })

  it('is reported in the same way as a provider whose name cannot be read', async () => {
    @Injectable()
    class Hanging {
      get name(): string {
        throw new Error('unreadable')
      }
      onClose = () => new Promise<void>(() => {})
    }
    const slow = await TestApp.create({ providers: [Hanging], timeouts: { onClose: '20ms' } })
    await expect(slow.close()).rejects.toMatchObject({
      errors: [new Error('onClose of a provider did not end within 20 ms (timeouts.onClose)')],
    })
  })

  it('uses the tenant of the request inside a singleton service', async () => {
    class NotesService {
      private readonly notes = inject(NotesToken)
      add = (note: string) => this.notes.add(note).all()
    }
    @Tenant()
    @Controller()
    class NotesController {
      private readonly service = inject(NotesService)
      @Get()
      async add() {
        await null
        return this.service.add('x')
      }
    }
    app = await TestApp.create({
      tenant: {},
      controllers: [NotesController],
      providers: [NotesService, tenantScoped(NotesToken, make)],
    })
    const ask = async (id: string) => (await app.asTenant(id).request().get('/')).body.data
    await Promise.all(['a', 'b', 'a'].map(ask))
    expect(await ask('a')).toHaveLength(3)
    expect(await ask('b')).toHaveLength(2)
  })

  it('passes injected values to its factory', async () => {
    const Prefix = new InjectionToken<string>('Prefix')
    const withPrefix = (id: string, prefix: string) => make(prefix + id)
    app = await TestApp.create({
      providers: [
        { token: Prefix, useValue: 'p-' },
        tenantScoped(NotesToken, withPrefix, { inject: [Prefix] }),
      ],
    })
    expect(runWithTenant('a', () => app.get(NotesToken).tenant)).toBe('p-a')
  })

  it('keeps no instance when its factory throws', async () => {
    let isUp = false
    const notes = await start(
      tenantScoped(NotesToken, (id) => {
        if (!isUp) throw new Error('down')
        return make(id)
      }),
    )
    expect(() => runWithTenant('a', () => notes.count)).toThrow('down')
    isUp = true
    expect(runWithTenant('a', () => notes.count)).toBe(0)
  })
})

describe('the number of tenant instances', () => {
  it('is at most max: the least recently used instance is disposed of', async () => {
    const notes = await start(tenantScoped(NotesToken, make, { max: 2, dispose }))
    for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) runWithTenant(id, () => notes.count)
    expect(made).toEqual(['a', 'b', 'c', 'b'])
    expect(disposed).toEqual(['b', 'c'])
  })

  it('is at most 100 by default', async () => {
    const notes = await start(tenantScoped(NotesToken, make, { dispose }))
    for (let index = 0; index < 1000; index++) runWithTenant(`t-${index}`, () => notes.count)
    expect(disposed).toHaveLength(900)
    expect(disposed[0]).toBe('t-0')
  })

  it('decreases when instances are idle', async () => {
    const notes = await start(tenantScoped(NotesToken, make, { idle: '10m', dispose }))
    await app.clock.advance('1s')
    runWithTenant('a', () => notes.count)
    await app.clock.advance('6m')
    runWithTenant('b', () => notes.count)
    await app.clock.advance('5m')
    expect(disposed).toEqual(['a'])
    await app.clock.advance('5m')
    expect(disposed).toEqual(['a', 'b'])
    runWithTenant('a', () => notes.count)
    expect(made).toEqual(['a', 'b', 'a'])
  })

  it('keeps an instance until it was idle, counted from its last use', async () => {
    const notes = await start(tenantScoped(NotesToken, make, { idle: '10m', dispose }))
    await app.clock.advance('1s')
    for (let use = 0; use < 3; use++) {
      runWithTenant('a', () => notes.count)
      await app.clock.advance('6m')
    }
    expect([made, disposed]).toEqual([['a'], []])
    await app.clock.advance('4m')
    expect(disposed).toEqual(['a'])
  })

  it('decreases in the scope of the tenant whose instance is disposed of', async () => {
    const tenants: unknown[] = []
    const provider = tenantScoped(NotesToken, make, { dispose: () => tenants.push(getTenantId()) })
    const notes = await start(provider)
    runWithTenant('a', () => notes.count)
    await app.close()
    expect(tenants).toEqual(['a'])
  })

  it('is zero after close(), which waits for all disposals', async () => {
    const slow = async (_: Notes, id: string) => {
      await null
      disposed.push(id)
    }
    const notes = await start(tenantScoped(NotesToken, make, { dispose: slow }))
    for (const id of ['a', 'b']) runWithTenant(id, () => notes.count)
    await app.close()
    expect(disposed).toEqual(['a', 'b'])
  })
})

describe('the timer of idle instances', () => {
  it('is set by the first instance, and canceled when the instances are closed', async () => {
    const timers = new Set<number>()
    let next = 0
    const clock: ClockPort = {
      now: () => 0,
      monotonic: () => 0,
      setInterval: () => ({ cancel() {} }),
      setTimeout() {
        const id = ++next
        timers.add(id)
        return { cancel: () => timers.delete(id) }
      },
    }
    const instances = new TenantInstances({ make, dispose, max: 2, idleMs: 1000, clock })
    expect(timers.size).toBe(0)
    for (const id of ['a', 'b', 'a']) runWithTenant(id, () => instances.get())
    expect(timers.size).toBe(1)
    await instances.close()
    expect(timers.size).toBe(0)
    expect(disposed.sort()).toEqual(['a', 'b'])
  })
})

it('is set again for an instance that is created after close()', async () => {
  app = await TestApp.create()
  const { clock } = app
  const instances = new TenantInstances({ make, dispose, max: 2, idleMs: 60_000, clock })
  runWithTenant('a', () => instances.get())
  await instances.close()
  runWithTenant('b', () => instances.get())
  await clock.advance('1m')
  expect(disposed).toEqual(['a', 'b'])
})

describe('a failed disposal', () => {
  const fail = (_: Notes, id: string) => Promise.reject(new Error(`cannot end ${id}`))

  const failForA = (notes: Notes, id: string) => (id === 'a' ? fail(notes, id) : undefined)

  it('causes a process warning while the application runs', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const notes = await start(tenantScoped(NotesToken, make, { max: 1, dispose: failForA }))
    for (const id of ['a', 'b']) runWithTenant(id, () => notes.count)
    while (warn.mock.calls.length === 0) await new Promise(setImmediate)
    expect(String(warn.mock.calls[0]?.[0])).toBe('Error: cannot end a')
    warn.mockRestore()
  })

  it('causes a process warning even if it rejects with undefined', async () => {
    const warn = vi.spyOn(process, 'emitWarning')
    const failOddly = (_: Notes, id: string) => (id === 'a' ? Promise.reject(undefined) : undefined)
    const notes = await start(tenantScoped(NotesToken, make, { max: 1, dispose: failOddly }))
    for (const id of ['a', 'b']) runWithTenant(id, () => notes.count)
    while (warn.mock.calls.length === 0) await new Promise(setImmediate)
    expect(warn.mock.results.map(({ type }) => type)).toEqual(['return'])
    warn.mockRestore()
  })

  it('makes close() reject', async () => {
    const notes = await start(tenantScoped(NotesToken, make, { dispose: fail }))
    runWithTenant('a', () => notes.count)
    await expect(app.close()).rejects.toThrow(/Closing the application failed/)
    app = await TestApp.create()
  })

  it('makes close() reject with every error, after all other instances are disposed of', async () => {
    const failForTwo = async (notes: Notes, id: string) =>
      id === 'b' ? dispose(notes, id) : fail(notes, id)
    app = await TestApp.create()
    const { clock } = app
    const instances = new TenantInstances({
      make,
      dispose: failForTwo,
      max: 9,
      idleMs: 1000,
      clock,
    })
    for (const id of ['a', 'b', 'c']) runWithTenant(id, () => instances.get())
    const closed: unknown = await instances.close().catch((error: unknown) => error)
    expect(closed).toBeInstanceOf(AggregateError)
    expect((closed as AggregateError).message).toContain('could not be disposed of')
    expect((closed as AggregateError).errors.map(String)).toEqual([
      'Error: cannot end a',
      'Error: cannot end c',
    ])
    expect(disposed).toEqual(['b'])
    await instances.close()
    expect(disposed).toEqual(['b'])
  })
})

describe('invalid options', () => {
  it.each([{ max: 0 }, { max: 1.5 }, { max: Number.NaN }, { idle: 0 }, { idle: 'soon' }])(
    'are refused: %o',
    async (options) => {
      app = await TestApp.create()
      expect(() => tenantScoped(NotesToken, make, options)).toThrow(TypeError)
    },
  )
})
