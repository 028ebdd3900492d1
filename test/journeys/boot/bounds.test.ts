import { type Class, Controller, Get, HttpCode, Post, Redirect, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

/** The codes of the problems that keep an application from starting. */
async function codesOf(controller: Class): Promise<string[]> {
  return (await bootProblems({ controllers: [controller] })).map(({ code }) => code)
}

function withStatus(status: number): Class {
  @Controller()
  class Items {
    @HttpCode(status)
    @Get()
    list() {
      return 'listed'
    }
  }
  return Items
}

function redirecting(status: number): Class {
  @Controller()
  class Items {
    @Redirect('/x', status as 301)
    @Get()
    list() {}
  }
  return Items
}

describe('the @HttpCode decorator', () => {
  it.each([199, 400, 99, 0, -200, 200.5, 1000, Number.NaN])(
    'refuses the status %d at boot',
    async (status) => {
      expect(await codesOf(withStatus(status))).toEqual(['E_OPTION_INVALID'])
    },
  )

  it.each([200, 201, 299, 300, 399])('sends the status %d', async (status) => {
    await using app = await TestApp.create({ controllers: [withStatus(status)], contract: 'off' })
    const response = await app.fetch('/', { redirect: 'manual' })
    expect(response.status).toBe(status)
  })
})

describe('the @Redirect decorator', () => {
  it.each([200, 300, 304, 305, 306, 309, 400])('refuses the status %d at boot', async (status) => {
    expect(await codesOf(redirecting(status))).toEqual(['E_OPTION_INVALID'])
  })

  it.each([301, 302, 303, 307, 308])('sends the status %d', async (status) => {
    await using app = await TestApp.create({ controllers: [redirecting(status)] })
    const response = await app.fetch('/', { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([status, '/x'])
  })
})

@Controller()
class Texts {
  @Post()
  add({ body }: Request) {
    return String(body).length
  }
}

describe('a request body', () => {
  it.each([
    ['is accepted if it is exactly as long as the limit', 0, 200],
    ['is refused if it is one byte longer than the limit', 1, 413],
  ])('%s, in each of two requests', async (_, more, expected) => {
    const limits = { body: 100 }
    await using app = await TestApp.create({ controllers: [Texts], limits, logger: false })
    const body = JSON.stringify('x'.repeat(98 + more))
    const headers = { 'content-type': 'application/json' }
    for (let i = 0; i < 2; i++) {
      const { status } = await app.fetch('/', { method: 'POST', headers, body })
      expect(status).toBe(expected)
    }
  })
})
