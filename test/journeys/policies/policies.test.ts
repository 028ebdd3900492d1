import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ForgetfulController, guard, OrderPolicy, OrdersController, searches } from './shop.js'

let app: TestApp

beforeAll(async () => {
  app = await TestApp.create({
    controllers: [OrdersController, ForgetfulController],
    auth: { guard },
    contract: 'throw',
    logger: false,
  })
})
afterAll(() => app.close())

async function send(user: string, path: string, method = 'GET') {
  const response = await app.fetch(path, { method, headers: { authorization: user } })
  const text = await response.text()
  return { status: response.status, text, headers: Object.fromEntries(response.headers) }
}

async function dataOf(user: string, path: string, method?: string) {
  return JSON.parse((await send(user, path, method)).text).data
}

describe('a policy', () => {
  it('allows access to visible objects, and refuses access to others with 403', async () => {
    expect(await dataOf('ana', '/orders/1')).toMatchObject({ id: '1' })
    expect(await dataOf('cleo', '/orders/1')).toMatchObject({ id: '1' })
    const refused = await send('bo', '/orders/1')
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('FORBIDDEN')
    expect((await send('ana', '/orders/9')).status).toBe(404)
  })

  it('removes hidden objects from a list', async () => {
    expect(await dataOf('ana', '/orders')).toHaveLength(2)
    expect(await dataOf('cleo', '/orders')).toHaveLength(3)
    expect(await dataOf('dan', '/orders')).toEqual([])
  })

  it('results in the same response for a hidden object and for a missing object', async () => {
    const hidden = await send('bo', '/orders/1/hidden')
    const missing = await send('bo', '/orders/9/hidden')
    expect(hidden.status).toBe(404)
    // The request id and the date differ between any two responses.
    const same = ({ status, text, headers }: typeof hidden) => {
      const { 'x-request-id': id = '', date: _, ...rest } = headers
      return { status, text: text.replaceAll(id || '\0', ''), rest }
    }
    expect(same(hidden)).toEqual(same(missing))
    expect(same(await send('bo', '/orders/1/found-by-error'))).toEqual(same(missing))
    expect(same(await send('bo', '/orders/9/found-by-error'))).toEqual(same(missing))
  })

  it('refuses with 403 or 404, depending on the method that the handler calls', async () => {
    expect((await send('ana', '/orders/1/payment', 'POST')).status).toBe(200)
    expect((await send('ana', '/orders/3/payment', 'POST')).status).toBe(403)
    expect((await send('bo', '/orders/1/payment', 'POST')).status).toBe(404)
    expect((await send('bo', '/orders/9/payment', 'POST')).status).toBe(404)
  })

  it('informs a handler which actions are allowed; unlisted actions are forbidden', async () => {
    expect(await dataOf('ana', '/orders/1/links')).toEqual({ canPay: true, canFly: false })
    expect(await dataOf('cleo', '/orders/1/links')).toEqual({ canPay: false, canFly: false })
  })

  it('allows an action only if its rule returns true, and refuses unlisted actions without a search', async () => {
    expect((await send('ana', '/orders/1/by/truthy')).status).toBe(403)
    expect((await send('ana', '/orders/1/by/later')).status).toBe(403)
    searches.count = 0
    for (const action of ['fly', 'toString', '__proto__', 'constructor', 'hasOwnProperty']) {
      expect((await send('ana', `/orders/1/by/${action}`)).status).toBe(403)
    }
    expect(searches.count).toBe(0)
  })

  it('results in a 500 response if a rule throws', async () => {
    const broken = await send('ana', '/orders/1/by/broken')
    expect(broken.status).toBe(500)
    expect(broken.text).not.toContain('the rule says')
  })

  it('can be evaluated without a request, and refuses a missing user or object', async () => {
    const order = { id: '1', ownerId: 'ana', isLocked: false }
    expect(await OrderPolicy.allows({ id: 'ana' }, 'read', order)).toBe(true)
    expect(await OrderPolicy.allows({ id: 'bo' }, 'read', order)).toBe(false)
    expect(await OrderPolicy.allows(undefined, 'truthy', order)).toBe(false)
    expect(await OrderPolicy.allows(null as never, 'truthy', order)).toBe(false)
    expect(await OrderPolicy.allows({ id: 'ana' }, 'read', undefined)).toBe(false)
  })
})

describe('a handler that declares a policy', () => {
  const forgotten =
    'returned nothing promised json later written head redirect bytes swallowed unawaited caught filtered'
  it.each(forgotten.split(' '))('cannot succeed without a check: %s', async (path) => {
    const response = await send('ana', `/forgetful/${path}`)
    expect(response.status).toBe(500)
    expect(JSON.stringify(response)).not.toContain('canary')
  })

  it('can fail without a check, and a check of one of its actions is enough', async () => {
    expect((await send('ana', '/forgetful/refused')).status).toBe(404)
    expect(await dataOf('ana', '/forgetful/asked')).toEqual({ can: false })
    expect(await dataOf('ana', '/forgetful/one')).toEqual({ isChecked: true })
    expect((await send('bo', '/forgetful/one')).status).toBe(403)
  })

  it('can respond in a callback after the check', async () => {
    expect((await send('ana', '/forgetful/callback', 'DELETE')).status).toBe(204)
    expect((await send('bo', '/forgetful/callback', 'DELETE')).status).toBe(403)
  })

  it('can use only the policies and actions that it declares', async () => {
    expect((await send('ana', '/forgetful/undeclared')).status).toBe(500)
    expect((await send('ana', '/forgetful/unknown')).status).toBe(500)
  })

  it('results in a 500 response if it passes a promise as the object', async () => {
    expect((await send('ana', '/forgetful/promise', 'PATCH')).status).toBe(500)
  })

  it('is documented with its refusals', async () => {
    const { paths } = JSON.parse((await send('ana', '/api-docs.json')).text)
    const statuses = (path: string) => Object.keys(paths[path]?.get?.responses ?? {})
    expect(statuses('/orders/{id}')).toEqual(expect.arrayContaining(['403', '404']))
    expect(statuses('/orders/{id}/hidden')).toContain('404')
    expect(statuses('/orders/{id}/hidden')).not.toContain('403')
    const payment = paths['/orders/{id}/payment'].post.responses
    expect(Object.keys(payment)).toEqual(expect.arrayContaining(['403', '404']))
  })
})

describe('the authMatrix method', () => {
  it('prints the decisions of policies about objects', async () => {
    const order = { id: '1', ownerId: 'ana', isLocked: true }
    const matrix = await app.authMatrix(
      {
        anonymous: null,
        ana: { id: 'ana' },
        bo: { id: 'bo' },
        byHeader: app.with({ authorization: 'cleo' }),
      },
      { objects: { 'of Ana': [OrderPolicy, order] } },
    )
    const lines = String(matrix).split('\n')
    const of = (text: string) => {
      const start = lines.findIndex((line) => line.startsWith(text))
      return lines.slice(start, start + 3).map((line) => line.trim().replace(/ {2,}/g, ' | '))
    }
    expect(of('GET /orders/:id ')).toEqual([
      'GET /orders/:id | 401 | allowed | allowed | allowed',
      'order:read of Ana | 401 | allowed | 403 | allowed',
      'GET /orders/:id/hidden | 401 | allowed | allowed | allowed',
    ])
    expect(of('POST /orders/:id/payment')).toEqual([
      'POST /orders/:id/payment | 401 | allowed | allowed | allowed',
      'order:read of Ana | 401 | allowed | 404 | allowed',
      'order:pay of Ana | 401 | 403 | 403 | 403',
    ])
    expect(matrix.rows).toContainEqual({
      operation: 'GET /orders/:id',
      handler: 'OrdersController.show',
      ability: 'order:read',
      object: 'of Ana',
      access: { anonymous: 401, ana: 'allowed', bo: 403, byHeader: 'allowed' },
    })
  })

  it('refuses objects without their policy', async () => {
    const objects = { order: { id: 1 } } as never
    await expect(app.authMatrix({ ana: { id: 'ana' } }, { objects })).rejects.toThrow(/objects/)
  })
})
