import { type AppOptions, publicRouter, type Request, schemeOf, tenantRouter } from 'blazon'
import { keyIdOf, keySchemeOf, setKeyId } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import express from 'express'
import { beforeEach, expect, it } from 'vitest'

let seen: unknown[]
beforeEach(() => {
  seen = []
})

/** A router that notes who the caller is, and passes the request on. */
function look(place: string, first: (req: Request) => void = () => {}) {
  return express.Router().use((req, _res, next) => {
    const own = req as unknown as Request
    first(own)
    seen.push([place, own.user?.id, keyIdOf(own), schemeOf(own), keySchemeOf(own)])
    next()
  })
}

const partner = {
  canActivate(req: Request) {
    req.user = { id: 'ann' }
    setKeyId(req, 'k1')
    return true
  },
}

const options: AppOptions = {
  auth: { guards: { partner } },
  tenant: { authorize: () => true },
  logger: false,
}

it('a tenantRouter passes a request on with the user and the key from before it', async () => {
  const before = (req: Request) => {
    req.user = { id: 'outer' }
    setKeyId(req, 'k0')
  }
  const middlewares = [
    publicRouter(look('before', before)),
    tenantRouter(look('in')),
    publicRouter(look('after')),
  ]
  await using app = await TestApp.create({ ...options, middlewares })
  await app.request().get('/none').set('x-tenant-id', 'acme').expect(404)
  expect(seen).toEqual([
    ['before', 'outer', 'k0', undefined, undefined],
    ['in', 'ann', 'k1', 'partner', 'partner'],
    ['after', 'outer', 'k0', undefined, undefined],
  ])
})

it('a tenantRouter passes a request on without a user and a key if there were none before it', async () => {
  const middlewares = [tenantRouter(look('in')), publicRouter(look('after'))]
  await using app = await TestApp.create({ ...options, middlewares })
  await app.request().get('/none').set('x-tenant-id', 'acme').expect(404)
  expect(seen).toEqual([
    ['in', 'ann', 'k1', 'partner', 'partner'],
    ['after', undefined, undefined, undefined, undefined],
  ])
})
