import { describe, expect, it } from 'vitest'
import { exchange, RawConnection, request } from '../hostile/raw-connection.js'
import { startGuarded } from './app.js'
import { METHODS, PATHS } from './spellings.js'

const OVERRIDES = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'] as const
const REWRITES = ['X-Original-URL', 'X-Rewrite-URL', 'X-Forwarded-Prefix', 'X-Forwarded-Uri']

describe('a request without a token', () => {
  it('is refused for every spelling of the path', async () => {
    const { send } = await startGuarded()
    const found: Record<string, number | undefined> = {}
    for (const path of Object.keys(PATHS)) {
      const [answer] = await send(Buffer.from(path).toString('latin1'))
      found[path] = answer?.status
      expect(answer?.text, path).not.toContain('secret')
    }
    expect(found).toEqual(PATHS)
  })

  it('is refused for every method', async () => {
    const { send } = await startGuarded()
    const found: Record<string, number | undefined> = {}
    for (const method of Object.keys(METHODS)) {
      const [answer] = await send('/admin', [], method)
      found[method] = answer?.status
    }
    expect(found).toEqual(METHODS)
  })

  it('cannot change its method or path with a header', async () => {
    const { send } = await startGuarded()
    for (const name of OVERRIDES) {
      expect((await send('/admin', [`${name}: OPTIONS`]))[0]?.status, name).toBe(401)
      expect((await send('/admin/open', [`${name}: POST`]))[0]?.status, name).toBe(200)
    }
    for (const name of REWRITES) {
      expect((await send('/admin', [`${name}: /admin/open`]))[0]?.status, name).toBe(401)
      expect((await send('/admin/open', [`${name}: /admin`]))[0]?.text, name).not.toContain(
        'secret',
      )
    }
  })

  it('is refused even with CONNECT, an upgrade, HTTP/1.0 or Expect', async () => {
    const { port, send } = await startGuarded()
    const connected = await exchange(port, request('localhost:80', [], { method: 'CONNECT' }))
    expect(connected.every(({ status }) => status >= 400)).toBe(true)
    const upgrade = [
      'Connection: Upgrade, close',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
    ]
    expect((await send('/admin', upgrade)).map(({ status }) => status)).toEqual([401])
    const old = await exchange(port, 'GET /admin HTTP/1.0\r\nHost: localhost\r\n\r\n')
    expect(old.map(({ status }) => status)).toEqual([401])
    const lines = ['Content-Length: 5', 'Content-Type: application/json', 'Expect: 100-continue']
    const expecting = await exchange(port, request('/admin', lines, { method: 'POST' }))
    expect(expecting.map(({ status }) => status)).toEqual([401])
  })
})

/** Values of `Authorization`, and whether one of them may let its sender in. */
const HEADERS: readonly (readonly [readonly string[], number])[] = [
  [['Authorization: Bearer ann'], 200],
  [['AUTHORIZATION:Bearer ann'], 200],
  [['Authorization:'], 401],
  [['Authorization: Bearer'], 401],
  [['Authorization: Bearer ann, Bearer bob'], 401],
  [['Authorization: Bearer Bearer ann'], 401],
  [['Authorization: __proto__'], 401],
  [['Authorization: constructor'], 401],
  [['Authorization : Bearer ann'], 400],
  [['Authorization\t: Bearer ann'], 400],
  [['Authorization: Bearer\r\n ann'], 400],
  [['X-Authorization: Bearer ann'], 401],
  [['Proxy-Authorization: Bearer ann'], 401],
  [['Cookie: authorization=Bearer ann'], 401],
  [[`Authorization: Bearer ${'x'.repeat(17 * 1024)}`], 431],
]

describe('the header with the token', () => {
  it('is accepted only in its exact form', async () => {
    const { send } = await startGuarded()
    for (const [lines, status] of HEADERS) {
      expect((await send('/admin', lines))[0]?.status, lines.join().slice(0, 60)).toBe(status)
    }
    const query = '/admin?authorization=Bearer%20ann&access_token=ann'
    expect((await send(query))[0]?.status).toBe(401)
  })

  it('applies only to its own request on a connection of two users', async () => {
    const { port } = await startGuarded()
    const connection = await RawConnection.open(port)
    const keep = 'Connection: keep-alive'
    const tokens = ['Bearer ann', 'Bearer bob', null, 'Bearer bob', null, 'Bearer ann', 'wrong']
    const heads = tokens.map((token) =>
      request('/admin', token === null ? [keep] : [keep, `Authorization: ${token}`]),
    )
    connection.write(heads.join(''))
    const answers = await connection.answers(tokens.length)
    connection.destroy()
    const users = answers.map(({ status, text }) =>
      status === 200 ? JSON.parse(text).data.secret : status,
    )
    expect(users).toEqual(['ann', 'bob', 401, 'bob', 401, 'ann', 401])
  })
})
