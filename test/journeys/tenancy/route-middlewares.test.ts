import { Controller, Get, getTenantId, type Request, type RequestHandler, Use } from 'blazon'
import { TestApp } from 'blazon/testing'
import { Router } from 'express'
import { describe, expect, it } from 'vitest'

/** Continues two requests at once, both in the async context of the second, as a shared connection does. */
function meetingPoint(): RequestHandler {
  const waiting: (() => void)[] = []
  return (_req, _res, next) => {
    waiting.push(next)
    if (waiting.length === 2) for (const each of waiting.splice(0)) each()
  }
}

function routerOf(...middlewares: RequestHandler[]): RequestHandler {
  const router = Router()
  for (const each of middlewares) {
    router.use((req, res, next) => each(req as never, res as never, next as never))
  }
  return router as unknown as RequestHandler
}

describe('middlewares passed to @Use that lose the async context', () => {
  it.each([
    ['between two middlewares', (...all: RequestHandler[]) => all],
    ['inside of a router', (...all: RequestHandler[]) => [routerOf(...all)]],
  ])('never give a request the tenant of another request: %s', async (_, arrange) => {
    const seen: string[] = []
    const note: RequestHandler = (req, _res, next) => {
      seen.push(`${req.get('x-tenant-id')} as ${getTenantId()}`)
      next()
    }
    @Controller('orders')
    class Orders {
      @Use(arrange(meetingPoint(), note))
      @Get()
      list(_req: Request) {
        return getTenantId()
      }
    }
    await using app = await TestApp.create({
      controllers: [Orders],
      tenant: { header: 'x-tenant-id' },
    })
    const ask = async (id: string) => {
      const { body } = await app.request().get('/orders').set('x-tenant-id', id)
      return body.data
    }
    expect(await Promise.all([ask('acme'), ask('globex')])).toEqual(['acme', 'globex'])
    expect(seen.sort()).toEqual(['acme as acme', 'globex as globex'])
  })
})
