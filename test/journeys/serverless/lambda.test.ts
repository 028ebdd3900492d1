import { gzipSync } from 'node:zlib'
import { App, Controller, Delete, Get, Post, type Request, type Response } from 'blazon'
import { afterEach, describe, expect, it } from 'vitest'
import { type Asked, EVENTS } from './events.js'
import { type HttpEvent, lambda } from './lambda.js'

@Controller('things')
class ThingsController {
  @Get()
  list({ query, ip, protocol, hostname, headers }: Request) {
    return { query, ip, protocol, hostname, cookie: headers.cookie ?? null }
  }

  @Post()
  add({ body }: Request) {
    return body
  }

  @Delete()
  async clear(req: Request) {
    let bytes = 0
    for await (const chunk of req) bytes += (chunk as Buffer).length
    return { bytes }
  }

  @Get('cookies')
  cookies(_: Request, res: Response) {
    res.cookie('a', '1').cookie('b', '2')
    return null
  }

  @Get('bytes')
  bytes() {
    return Buffer.from([0, 255, 128])
  }
}

/** What a function URL sends: the shape of version 2.0, always with the length of the body. */
function functionUrl(asked: Asked): object {
  const event = EVENTS['version 2.0']?.(asked) as { headers: object; body?: string }
  const { body = '' } = event
  const headers = {
    ...event.headers,
    'content-length': String(body.length),
    'x-forwarded-proto': 'https',
  }
  return { ...event, routeKey: '$default', headers }
}

let app: App
afterEach(() => app.close())

describe.each(Object.entries({ ...EVENTS, 'function URL': functionUrl }))(
  'the function of docs/deploying.md, with events of %s',
  (_, eventOf) => {
    const ask = async (asked: Asked) => {
      app = new App({ controllers: [ThingsController], logger: false })
      const { body, ...answer } = await lambda(app)(eventOf(asked) as HttpEvent)
      const bytes = Buffer.from(body, 'base64')
      const isJson = String(answer.headers['content-type']).startsWith('application/json')
      return { ...answer, bytes, json: isJson ? JSON.parse(bytes.toString()) : null }
    }
    const json = { 'content-type': 'application/json' }
    const post = (body: string | Buffer, headers: object = json) =>
      ask({ method: 'POST', path: '/things', headers: { ...headers }, body })

    it('passes query, client, host and cookies', async () => {
      const asked = { path: '/things', query: 'a=1&a=2&b=x%26y', cookies: ['c=1', 'd=2'] }
      const { statusCode, json } = await ask(asked)
      expect([statusCode, json.data]).toEqual([
        200,
        {
          query: { a: ['1', '2'], b: 'x&y' },
          ip: '9.9.9.9',
          protocol: 'https',
          hostname: 'shop.example',
          cookie: 'c=1; d=2',
        },
      ])
    })

    it('accepts bodies as strings and in base64', async () => {
      expect((await post('{"name":"caf\u00e9"}')).json.data).toEqual({ name: 'caf\u00e9' })
      const zipped = gzipSync('{"name":"zipped"}')
      const headers = { ...json, 'content-encoding': 'gzip' }
      expect((await post(zipped, headers)).json.data).toEqual({ name: 'zipped' })
      expect((await post('{"name":')).json).toMatchObject({ status: 400, code: 'MALFORMED_JSON' })
      const cleared = await ask({ method: 'DELETE', path: '/things', body: 'abc' })
      expect(cleared.json.data).toEqual({ bytes: 3 })
    })

    it('returns all cookies and binary data', async () => {
      const answer = await ask({ path: '/things/cookies' })
      const cookies =
        'cookies' in answer ? answer.cookies : answer.multiValueHeaders?.['set-cookie']
      expect(cookies).toEqual([
        'a=1; Path=/; HttpOnly; Secure; SameSite=Lax',
        'b=2; Path=/; HttpOnly; Secure; SameSite=Lax',
      ])
      expect(answer.headers).not.toHaveProperty('set-cookie')
      await app.close()
      const { headers, bytes } = await ask({ path: '/things/bytes' })
      expect([headers['content-length'], [...bytes]]).toEqual(['3', [0, 255, 128]])
    })

    it('returns errors in the envelope', async () => {
      expect(await ask({ path: '/nowhere' })).toMatchObject({
        statusCode: 404,
        json: { status: 404 },
      })
    })
  },
)
