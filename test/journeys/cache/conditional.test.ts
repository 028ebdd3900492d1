import { Cache, Controller, defineControllers, Get, type Request, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { beforeEach, describe, expect, it } from 'vitest'

const MODIFIED = 'Thu, 01 Jan 2015 00:00:00 GMT'
const EARLIER = 'Wed, 31 Dec 2014 00:00:00 GMT'
const LATER = 'Fri, 02 Jan 2015 00:00:00 GMT'

let calls = 0
beforeEach(() => {
  calls = 0
})

@Controller('pages')
class PagesController {
  @Cache({ ttl: 60 })
  @Get('dated')
  dated(_req: Request, res: Response) {
    res.set('Last-Modified', MODIFIED).json({ call: ++calls })
  }

  @Cache({ ttl: 60 })
  @Get('tagged')
  tagged(_req: Request, res: Response) {
    res.set('ETag', '"one"').json({ call: ++calls })
  }

  @Cache({ ttl: 60 })
  @Get('both')
  both(_req: Request, res: Response) {
    res.set({ ETag: '"one"', 'Last-Modified': MODIFIED }).json({ call: ++calls })
  }

  @Cache({ ttl: 60 })
  @Get('wide')
  wide() {
    return 'größer als 😀'
  }

  @Cache({ ttl: 60 })
  @Get('plain')
  plain() {
    return { call: ++calls }
  }
}

const controllers = defineControllers(PagesController)

/** `[status, X-Cache]` of each request, one after the other. */
async function statuses(path: string, requests: readonly Record<string, string>[]) {
  await using app = await TestApp.create({ controllers, logger: false, contract: 'off' })
  const seen: unknown[] = []
  for (const headers of requests) {
    const response = await app.request().get(path).set(headers)
    seen.push([response.status, response.headers['x-cache']])
    if (response.status === 304) expect(response.text ?? '').toBe('')
    else expect(response.body.call ?? response.body.data?.call).toBe(1)
  }
  expect(calls).toBe(1)
  return seen
}

const since = (date: string) => ({ 'If-Modified-Since': date })
const noneMatch = (tag: string) => ({ 'If-None-Match': tag })
const MISS = [200, 'MISS']
const HIT = [200, 'HIT']
const SAME = [304, 'HIT']

describe('a cached response with Last-Modified', () => {
  it('results in a 304 if the client already has it', async () => {
    const requests = [{}, since(MODIFIED), since(LATER), since(EARLIER), {}]
    expect(await statuses('/pages/dated', requests)).toEqual([MISS, SAME, SAME, HIT, HIT])
  })

  it('is sent in full to the request that fills the cache, even if the client has it', async () => {
    const requests = [since(LATER), since(LATER), {}]
    expect(await statuses('/pages/dated', requests)).toEqual([MISS, SAME, HIT])
  })
})

describe('a cached response with an ETag', () => {
  it('results in a 304 if the client already has it', async () => {
    const requests = [{}, noneMatch('"one"'), noneMatch('W/"one"'), noneMatch('"two"'), {}]
    expect(await statuses('/pages/tagged', requests)).toEqual([MISS, SAME, SAME, HIT, HIT])
  })

  it('is sent in full to the request that fills the cache', async () => {
    const requests = [noneMatch('"one"'), noneMatch('*'), {}]
    expect(await statuses('/pages/tagged', requests)).toEqual([MISS, SAME, HIT])
  })

  it('is compared only by its ETag if it also has Last-Modified', async () => {
    const requests = [
      { ...noneMatch('"one"'), ...since(LATER) },
      { ...noneMatch('"two"'), ...since(LATER) },
      { ...noneMatch('"one"'), ...since(EARLIER) },
    ]
    expect(await statuses('/pages/both', requests)).toEqual([MISS, HIT, SAME])
  })
})

describe('a cached response with multi-byte characters', () => {
  it('has the same body and Content-Length on MISS and HIT', async () => {
    await using app = await TestApp.create({ controllers, contract: 'off' })
    const texts = []
    for (let i = 0; i < 3; i++) {
      const { headers, body } = await app.request().get('/pages/wide')
      texts.push([body.data, headers['content-length']])
    }
    const [first] = texts
    expect(first?.[0]).toBe('größer als 😀')
    expect(texts).toEqual([first, first, first])
  })
})

describe('a cached response without Last-Modified and ETag', () => {
  it('never results in a 304', async () => {
    const requests = [since(LATER), since(LATER), noneMatch('"one"'), noneMatch('"one"')]
    expect(await statuses('/pages/plain', requests)).toEqual([MISS, HIT, HIT, HIT])
  })
})
