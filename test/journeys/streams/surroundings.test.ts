import {
  Controller,
  defineControllers,
  Get,
  getTenantId,
  type Interceptor,
  type Request,
  Sse,
  Tenant,
  Use,
} from 'blazon'
import compression from 'compression'
import { describe, expect, it } from 'vitest'
import { gate } from '../gate.js'
import { Item, script, start, state, until, useStreams } from './streams-app.js'

useStreams()

/** Doubles each item. */
class Doubling implements Interceptor {
  async intercept(_req: Request, next: () => unknown) {
    state.log.push('before')
    const items = (await next()) as AsyncIterable<{ n: number }>
    state.log.push('first item is there')
    return (async function* () {
      for await (const { n } of items) yield { n: n * 2 }
    })()
  }
}

const tenants: (string | undefined)[] = []

@Controller()
class SurroundedController {
  @Get('doubled') @Use(Doubling) @Sse(Item) async *doubled() {
    try {
      state.log.push('begun')
      yield { n: 1 }
      yield { n: 2 }
    } finally {
      state.log.push('finally')
    }
  }

  @Get('scoped') @Tenant() @Sse(Item) async *scoped() {
    try {
      for (let n = 1; n <= 3; n++) {
        tenants.push(getTenantId())
        yield { n }
        await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      tenants.push(getTenantId())
    }
  }

  @Get('list') @Sse(Item) list() {
    return [{ n: 1 }] as never
  }

  @Get('object') @Sse(Item) object() {
    return { n: 1 } as never
  }
}

const controllers = defineControllers(SurroundedController)

describe('a stream within a request', () => {
  it('passes its items through an interceptor as soon as the first item exists', async () => {
    const app = await start({ controllers })
    const text = await (await app.fetch('/doubled')).text()
    expect(text).toBe('data: {"n":2}\n\ndata: {"n":4}\n\nevent: end\ndata:\n\n')
    expect(state.log).toEqual(['before', 'begun', 'first item is there', 'finally'])
  })

  it('keeps the scope of its tenant until its finally block', async () => {
    tenants.splice(0)
    const app = await start({ controllers, tenant: { header: 'x-tenant-id' } })
    const both = ['acme', 'other'].map(async (id) =>
      (await app.asTenant(id).fetch('/scoped')).text(),
    )
    await Promise.all(both)
    expect(tenants.toSorted()).toEqual([...Array(4).fill('acme'), ...Array(4).fill('other')])
  })

  it.each([
    ['list', 'an array'],
    ['object', 'an object'],
  ])('results in a 500 response if the handler returns a single value: %s', async (name, kind) => {
    const app = await start({ controllers })
    expect((await app.fetch(`/${name}`)).status).toBe(500)
    const message = `SurroundedController.${name} is a stream, but returned ${kind}`
    expect(String(state.errors[0]?.err)).toContain(message)
  })

  it.each(['', 'no-cache'])(
    'is not delayed by compression (Cache-Control: %j)',
    async (control) => {
      const more = gate()
      script(async function* () {
        yield { n: 1 }
        await more.opened
        yield { n: 2 }
      })
      const own = (
        _req: Request,
        res: { set(name: string, value: string): void },
        next: () => void,
      ) => {
        if (control !== '') res.set('Cache-Control', control)
        next()
      }
      const app = await start({
        middlewares: [compression({ threshold: 0, filter: () => true }), own],
      })
      const headers = { 'accept-encoding': 'gzip' }
      const response = await app.fetch('/streams/events', { headers })
      expect(response.headers.get('content-encoding')).toBe(control === '' ? null : 'gzip')
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      await until(reader, '"n":1')
      more.open()
      await until(reader, 'event: end')
    },
  )
})
