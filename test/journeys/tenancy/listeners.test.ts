import {
  Body,
  Controller,
  Get,
  getTenantId,
  type Middleware,
  Post,
  type Request,
  type Response,
  runWithTenant,
  Tenant,
  TenantContext,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appsOfTest, send } from '../express/support.js'

type Add = 'on' | 'once' | 'addListener' | 'prependListener' | 'prependOnceListener'
const WAYS: [Add, number][] = [
  ['on', 3],
  ['once', 1],
  ['addListener', 3],
  ['prependListener', 3],
  ['prependOnceListener', 1],
]

let heard: string[] = []

@Tenant()
@Controller('echo')
class EchoController {
  @Get()
  get() {
    return { tenant: getTenantId() }
  }

  @Post()
  @Body(z.object({ text: z.string() }))
  post({ body }: Request) {
    return body
  }
}

const options = { controllers: [EchoController], tenant: {} }
const headers = { 'x-tenant-id': 'acme', 'content-type': 'application/json' }

describe('a listener on a request with a tenant', () => {
  const apps = appsOfTest()

  it.each(WAYS)(
    'is called as many times as in Node.js if it is added with %s()',
    async (add, times) => {
      heard = []
      const middleware: Middleware = (req, res, next) => {
        for (const emitter of [req, res]) {
          emitter[add]('ping', (value: string) => heard.push(`${value} ${getTenantId()}`))
          for (const value of ['1', '2', '3']) emitter.emit('ping', value)
        }
        next()
      }
      const { port } = await apps.listening({ ...options, middlewares: [middleware] })
      expect((await send(port, { path: '/echo', headers })).status).toBe(200)
      const once = ['1', '2', '3'].slice(0, times).map((value) => `${value} acme`)
      // The middlewares of the application run in the scope of the tenant.
      expect(heard).toEqual([...once, ...once])
    },
  )

  it.each(['prependListener', 'prependOnceListener'] as const)(
    'is called before earlier listeners if it is added with %s()',
    async (add) => {
      heard = []
      const middleware: Middleware = (req, res, next) => {
        for (const emitter of [req, res]) {
          emitter.on('ping', () => heard.push('earlier'))
          emitter[add]('ping', () => heard.push('later'))
          emitter.emit('ping')
        }
        next()
      }
      const { port } = await apps.listening({ ...options, middlewares: [middleware] })
      expect((await send(port, { path: '/echo', headers })).status).toBe(200)
      expect(heard).toEqual(['later', 'earlier', 'later', 'earlier'])
    },
  )

  it.each(WAYS)('can be removed with off() if it was added with %s()', async (add) => {
    heard = []
    const middleware: Middleware = (req, res, next) => {
      for (const emitter of [req, res]) {
        const listener = () => heard.push('called')
        emitter[add]('ping', listener)
        expect(emitter.listenerCount('ping')).toBe(1)
        expect(emitter.listeners('ping')).toEqual([listener])
        emitter.off('ping', listener)
        expect(emitter.listenerCount('ping')).toBe(0)
        emitter.emit('ping')
      }
      next()
    }
    const { port } = await apps.listening({ ...options, middlewares: [middleware] })
    expect((await send(port, { path: '/echo', headers })).status).toBe(200)
    expect(heard).toEqual([])
  })

  it('receives only one chunk of the body if it is added with once()', async () => {
    heard = []
    const middleware: Middleware = (req: Request, _res: Response, next) => {
      req.once('data', () => heard.push('once'))
      let pieces = 0
      req.on('data', () => pieces++)
      req.on('end', () => heard.push(`pieces ${pieces > 1}`))
      next()
    }
    const { port } = await apps.listening({ ...options, middlewares: [middleware] })
    const body = JSON.stringify({ text: 'x'.repeat(90_000) })
    const { status, text } = await send(port, { method: 'POST', path: '/echo', headers, body })
    expect(heard).toEqual(['once', 'pieces true'])
    expect(status, text).toBe(200)
  })

  it('keeps the tenant of the code that adds it, even within a request of another tenant', async () => {
    const seen: (string | undefined)[] = []
    let inZeta: (run: () => unknown) => unknown = (run) => run()
    @Controller('own')
    class OwnController {
      @Get()
      get(req: Request) {
        req.once('own', () => seen.push(getTenantId()))
        inZeta(() => req.once('own', () => seen.push(getTenantId())))
        req.emit('own')
        return []
      }
    }
    const middleware: Middleware = (_req, _res, next) => {
      inZeta = runWithTenant('zeta', () => TenantContext.bind((run: () => unknown) => run()))
      runWithTenant('acme', next)
    }
    const app = await apps.inProcess({
      controllers: [OwnController],
      tenant: {},
      middlewares: [middleware],
    })
    expect((await app.request().get('/own')).status).toBe(200)
    expect(seen).toEqual(['acme', 'zeta'])
  })
})
