import { Controller, defineControllers, Get, Post, type Request } from 'blazon'
import { describe, expect, it } from 'vitest'
import { expectFailure, start } from './listening-app.js'
import { exchange, post, RawConnection, request } from './raw-connection.js'

@Controller('things')
class ThingsController {
  @Get(':id')
  one({ params, query }: Request) {
    return { id: params.id, query }
  }

  @Post()
  add({ body }: Request) {
    return { body }
  }
}

const controllers = defineControllers(ThingsController)

/** Requests that are refused, each with its status. */
const REFUSED: [string, string, number, string][] = [
  ['a host with a path in it', request('/things/1', ['Host: a/b']), 400, 'BAD_REQUEST'],
  ['a path that cannot be decoded', request('/things/%E0'), 400, 'MALFORMED_URL'],
  ['a zero byte', request('/things/%00'), 400, 'MALFORMED_URL'],
  ['a body that is not JSON', post('/things', '{'), 400, 'MALFORMED_JSON'],
]

describe('a refused request', () => {
  it.each(REFUSED)(
    'is refused each time, even after valid requests: %s',
    async (_, bytes, status, code) => {
      const { port } = await start({ controllers })
      const fine = request('/things/1')
      for (const each of [bytes, bytes, fine, bytes, fine]) {
        const [answer] = await exchange(port, each)
        if (each === fine) expect(answer?.status).toBe(200)
        else expectFailure(answer, status, code)
      }
    },
  )
})

describe('a query with an invalid encoding', () => {
  it.each(['?x=%E0', '?%E0', '?x=%', '?x=%E0%A4&y=1'])(
    'does not affect the result of routing: %s',
    async (query) => {
      const { port } = await start({ controllers })
      const [missing] = await exchange(port, request(`/nowhere${query}`))
      expectFailure(missing, 404, 'NOT_FOUND')
      const [wrong] = await exchange(port, request(`/things/1${query}`, [], { method: 'DELETE' }))
      expectFailure(wrong, 405, 'METHOD_NOT_ALLOWED')
      const [found] = await exchange(port, request(`/things/1${query}`))
      expect(found?.status).toBe(200)
      const [malformed] = await exchange(port, request(`/nowhere/%E0${query}`))
      expectFailure(malformed, 400, 'MALFORMED_URL')
    },
  )
})

describe('a null byte in a path with the wrong method', () => {
  it('results in the same error as with the right method', async () => {
    const { port } = await start({ controllers })
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const [answer] = await exchange(port, request('/things/%00', [], { method }))
      expectFailure(answer, 400, 'MALFORMED_URL')
    }
  })
})

describe('a connection', () => {
  it('stays open for a sequence of valid and refused requests', async () => {
    const { port } = await start({ controllers })
    const connection = await RawConnection.open(port)
    const keep = ['Connection: keep-alive']
    const targets = ['/nowhere', '/things/1', '/things/%E0', '/things/2']
    for (const [index, target] of targets.entries()) {
      connection.write(request(target, keep))
      await connection.answers(index + 1)
    }
    const statuses = (await connection.answers(4)).map(({ status }) => status)
    expect(statuses).toEqual([404, 200, 400, 200])
    connection.destroy()
  })
})
