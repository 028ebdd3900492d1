import { All, ApiResponseDoc, Cache, Controller, Get, type Request } from 'blazon'
import { ContractError, TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

@Controller('edges')
class EdgesController {
  @ApiResponseDoc({ status: 200, description: 'Fine' })
  @Get()
  get() {
    return []
  }

  @Cache({ ttl: 60, key: () => 'all' })
  @All('cached')
  cached(req: Request) {
    return { language: req.get('accept-language') ?? 'none' }
  }
}

let app: TestApp
beforeEach(async () => {
  app = await TestApp.create({ controllers: [EdgesController], contract: 'throw', logger: false })
})
afterEach(() => app.close())

describe('the contract check of a TestApp', () => {
  it('ignores requests that the Node.js parser rejects', async () => {
    const long = await app.request().get('/edges').set('x-long', 'x'.repeat(100_000))
    expect(long.status).toBe(431)
    expect(app.contractReport()).toEqual([])
  })

  it.each(['GET', 'HEAD'])('checks the cache key of a response to %s', async (method) => {
    await expect(app.fetch('/edges/cached', { method })).rejects.toThrow(ContractError)
    const [violation] = app.contractReport()
    expect(violation).toMatchObject({ kind: 'cache-key', path: 'headers.accept-language' })
  })

  it.each(['POST', 'DELETE'])(
    'checks no cache key for %s, because its responses are not cached',
    async (method) => {
      expect((await app.fetch('/edges/cached', { method })).status).toBe(200)
      expect(app.contractReport()).toEqual([])
    },
  )
})
