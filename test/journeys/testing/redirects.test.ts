import { Controller, Get, Post, type Request, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

@Controller('hops')
class HopsController {
  @Get('left/:left')
  left(req: Request, res: Response) {
    const left = Number(req.params['left'])
    if (left === 0) res.json({ done: true })
    else res.redirect(`/hops/left/${left - 1}`)
  }

  @Post('move/:status')
  move(req: Request, res: Response) {
    res.redirect(Number(req.params['status']), '/hops/end#part')
  }

  @Get('end')
  end(req: Request) {
    return { method: 'GET', type: req.get('content-type') ?? null, own: req.get('x-own') ?? null }
  }

  @Post('end')
  received(req: Request) {
    return { method: 'POST', body: req.body as unknown }
  }
}

let app: TestApp
beforeEach(async () => {
  app = await TestApp.create({ controllers: [HopsController], contract: 'off' })
})
afterEach(() => app.close())

describe('the fetch method of a TestApp', () => {
  it('follows at most 20 redirects', async () => {
    const response = await app.fetch('/hops/left/20')
    expect([response.status, response.redirected]).toEqual([200, true])
    await expect(app.fetch('/hops/left/21')).rejects.toThrow('more than 20 redirects')
    expect((await app.fetch('/hops/left/0')).redirected).toBe(false)
  })

  it.each([
    [301, 'GET'],
    [302, 'GET'],
    [303, 'GET'],
    [307, 'POST'],
    [308, 'POST'],
  ])('follows a %d redirect of a POST request with a %s request', async (status, method) => {
    const response = await app.fetch(`/hops/move/${status}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-own': 'yes' },
      body: '{"a":1}',
    })
    expect(new URL(response.url).pathname).toBe('/hops/end')
    expect(response.url).not.toContain('#')
    const { data } = (await response.json()) as { data: unknown }
    expect(data).toEqual(
      method === 'GET' ? { method, type: null, own: 'yes' } : { method, body: { a: 1 } },
    )
  })
})
