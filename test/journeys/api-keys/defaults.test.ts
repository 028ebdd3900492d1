import { AsyncLocalStorage } from 'node:async_hooks'
import type { NextFunction, Request, Response } from 'blazon'
import { describe, expect, it } from 'vitest'
import { Keys, startWith, statusWith } from './support.js'

describe('an API key', () => {
  it('is cached for 30 seconds by default', async () => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find })
    await app.clock.advance(0)
    const key = keys.add()
    for (const [pause, lookUps] of [
      ['0s', 1],
      ['29.999s', 1],
      ['1ms', 2],
    ] as const) {
      await app.clock.advance(pause)
      expect([await statusWith(app, key), keys.lookedUp.length]).toEqual([200, lookUps])
    }
  })

  it('has no name, tenant or abilities if these fields are null', async () => {
    const keys = new Keys()
    const app = await startWith({ find: keys.find })
    const none = { name: null, tenant: null, permissions: null, roles: null }
    const key = keys.add({ ...none, expiresAt: null, revokedAt: null })
    const { body } = await app.request().get('/orders').set('x-api-key', key)
    expect(body.data).toEqual({ id: 'key-1', provider: 'api-key', permissions: [], roles: [] })
  })

  it('is looked up, and its use is reported, outside of the async context of the request', async () => {
    const keys = new Keys()
    const context = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const app = await startWith(
      {
        find: (hash) => {
          seen.push(['find', context.getStore()])
          return keys.find(hash)
        },
        user: () => ({ id: context.getStore() }),
        onUse: () => void seen.push(['onUse', context.getStore()]),
      },
      {
        middlewares: [
          (_req: Request, _res: Response, next: NextFunction) => context.run('request', next),
        ],
      },
    )
    const { body } = await app.request().get('/orders').set('x-api-key', keys.add())
    expect(body.data).toEqual({ id: 'request' })
    expect(seen).toEqual([
      ['find', undefined],
      ['onUse', undefined],
    ])
  })
})
