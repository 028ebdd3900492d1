import { Auth, type AuthGuard, Cache, Controller, Get, type Request, schemeOf } from 'blazon'
import { describe, expect, it } from 'vitest'
import { start } from '../hostile/listening-app.js'
import { exchange, request } from '../hostile/raw-connection.js'

/** Lets a request with `<name> …` in a header in. It sets no user, as a guard for machines may do. */
function silent(header: string): AuthGuard {
  return {
    credentials: [header],
    canActivate: (req) => String(req.headers[header]).startsWith('right '),
  }
}

/** The same, with the text of the credential as the user. */
function named(header: string): AuthGuard {
  return {
    credentials: [header],
    canActivate(req) {
      const text = String(req.headers[header])
      req.user = { id: text }
      return text.startsWith('right ')
    },
  }
}

const whose = (req: Request) => ({
  secret: `${schemeOf(req)} ${req.headers['x-one'] ?? ''} ${req.headers['x-two'] ?? ''}`,
})

@Auth('one', 'two')
@Controller('cached')
class CachedController {
  @Cache({ ttl: '1h' })
  @Get('default')
  byDefault(req: Request) {
    return whose(req)
  }

  @Cache({ ttl: '1h', key: () => 'same' })
  @Get('own')
  own(req: Request) {
    return whose(req)
  }

  @Cache({ ttl: '1h', key: () => 'same' })
  @Auth('one', 'two', { optional: true })
  @Get('optional')
  optional(req: Request) {
    return whose(req)
  }
}

/** The requests, in this order: each caller twice. */
const CALLERS: readonly string[] = ['X-One: right a', 'X-One: right b', 'X-Two: right a']

async function startCached(guards: Record<string, AuthGuard>) {
  const { port } = await start({ controllers: [CachedController], auth: { guards } })
  return async (path: string, lines: readonly string[]) => {
    const [answer] = await exchange(port, request(path, lines))
    return answer
  }
}

describe.each([
  ['guards that set a user', named],
  ['guards that set no user', silent],
])('a cached response behind %s', (_, guard) => {
  it.each(['default', 'own', 'optional'])('is sent only to its caller: route %s', async (path) => {
    const send = await startCached({ one: guard('x-one'), two: guard('x-two') })
    for (const line of [...CALLERS, ...CALLERS]) {
      const answer = await send(`/cached/${path}`, [line])
      const [name = '', value] = line.split(': ')
      const own = name === 'X-One' ? `one ${value} ` : `two  ${value}`
      expect(JSON.parse(answer?.text ?? '').data.secret, line).toBe(own)
    }
  })

  it.each(['default', 'own'])('is not sent to an unauthorized caller: route %s', async (path) => {
    const send = await startCached({ one: guard('x-one'), two: guard('x-two') })
    const first = await send(`/cached/${path}`, ['X-One: right a'])
    const etag = first?.headers['etag'] ?? '*'
    for (const lines of [[], ['X-One: wrong'], ['X-One: right a', 'X-Two: wrong']]) {
      for (const more of [
        [],
        [`If-None-Match: ${etag}`],
        ['If-None-Match: *'],
        ['Range: bytes=0-'],
      ]) {
        const answer = await send(`/cached/${path}`, [...lines, ...more])
        expect([answer?.status, answer?.headers['etag']], [...lines, ...more].join()).toEqual([
          401,
          undefined,
        ])
      }
    }
  })
})
