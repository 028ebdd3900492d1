import { App, type Response } from 'blazon'
import { addHeaders } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'

interface Others {
  readonly atHead?: (res: Response) => void
  readonly after?: (res: Response) => void
  /** Whether no other code waits for the head, or has set a header: then the head is written in one call. */
  readonly isFlat?: boolean
}

/** The headers of a response; unless it is flat, it is behind a middleware that waits for the head, as on-headers does. */
async function respond(
  added: readonly string[],
  { atHead, after, isFlat = false }: Others = {},
): Promise<globalThis.Response> {
  const app = await App.create({
    controllers: [],
    logger: false,
    middlewares: [
      (_req, res, next) => {
        const { writeHead } = res
        if (!isFlat) {
          res.writeHead = (...args: unknown[]) => {
            atHead?.(res)
            return writeHead.apply(res, args as never)
          }
        }
        next()
      },
      (_req, res) => {
        if (!isFlat) res.setHeader('X-Own', 'own')
        addHeaders(res, added)
        res.json({})
        after?.(res)
      },
    ],
  })
  try {
    const { port } = await app.listen(0)
    const response = await fetch(`http://localhost:${port}/`)
    return new Response(await response.text(), response)
  } finally {
    await app.close()
  }
}

const rawNames = (res: Response) =>
  (res as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames()

/** Everything that a response tells about the headers of these tests. */
function seenOf(res: Response): object {
  const headers = res.getHeaders()
  const isOurs = (name: string) => /^x-(own|a|b|frame-options)$/i.test(name)
  return {
    one: [res.getHeader('X-A'), res.getHeader('x-b'), res.hasHeader('X-b'), res.getHeader('X-OWN')],
    all: [headers['x-a'], headers['x-b'], headers['x-own'], headers['x-frame-options']],
    names: res.getHeaderNames().filter(isOurs).sort(),
    raw: rawNames(res).filter(isOurs).sort(),
  }
}

const ALL = {
  one: ['1', '2', true, 'own'],
  all: ['1', '2', 'own', 'SAMEORIGIN'],
  names: ['x-a', 'x-b', 'x-frame-options', 'x-own'],
  raw: ['X-A', 'X-B', 'X-Frame-Options', 'X-Own'],
}

describe('added headers behind a middleware that wraps `writeHead`', () => {
  it.each(['atHead', 'after'])(
    'are sent once, and can be read with any method: %s',
    async (when) => {
      let seen: unknown
      const look = (res: Response) => {
        seen = seenOf(res)
      }
      const { headers } = await respond(['X-A', '1', 'X-B', '2'], { [when]: look })
      expect(seen).toEqual(ALL)
      expect(['x-a', 'x-b', 'x-own'].map((name) => headers.get(name))).toEqual(['1', '2', 'own'])
    },
  )

  it('can be replaced and removed by the middleware', async () => {
    let after: unknown
    const { headers } = await respond(['X-A', '1', 'X-B', '2', 'X-C', '3'], {
      atHead: (res) => {
        res.setHeader('x-a', 'set')
        res.removeHeader('x-B')
        res.appendHeader('X-C', '4')
      },
      after: (res) => {
        const all = res.getHeaders()
        after = [
          all['x-a'],
          all['x-b'],
          all['x-c'],
          res.getHeader('X-B'),
          rawNames(res).includes('X-B'),
        ]
      },
    })
    expect(['x-a', 'x-b', 'x-c'].map((name) => headers.get(name))).toEqual(['set', null, '3, 4'])
    expect(after).toEqual(['set', undefined, ['3', '4'], undefined, false])
  })

  it('can be read and removed by a name in any letter case', async () => {
    const seen: unknown[] = []
    const { headers } = await respond(['X-Mixed-Case', '1'], {
      atHead: (res) => {
        seen.push(res.getHeader('X-MIXED-case'), res.hasHeader('x-mixed-CASE'))
        res.removeHeader('x-Mixed-case')
        seen.push(res.hasHeader('X-Mixed-Case'))
      },
    })
    expect(seen).toEqual(['1', true, false])
    expect(headers.get('x-mixed-case')).toBeNull()
  })

  it('do not change how Node refuses names that are not strings', async () => {
    const refused: unknown[] = []
    await respond(['X-A', '1'], {
      atHead: (res) => {
        for (const read of [res.getHeader, res.hasHeader, res.removeHeader]) {
          try {
            read.call(res, 1 as never)
          } catch (error) {
            refused.push((error as { code?: unknown }).code)
          }
        }
      },
    })
    expect(refused).toEqual(Array(3).fill('ERR_INVALID_ARG_TYPE'))
  })
})

describe.each([
  ['behind a middleware that wraps `writeHead`', false],
  ['in a head that is written in one call', true],
])('added headers %s', (_, isFlat) => {
  it.each([
    ['Connection', 'close'],
    ['Date', 'Thu, 01 Jan 2026 00:00:00 GMT'],
  ])('are passed to Node if Node acts on them: %s', async (name, value) => {
    const { headers } = await respond([name, value, 'X-A', '1'], { isFlat })
    expect([headers.get(name), headers.get('x-a')]).toEqual([value, '1'])
  })

  it.each([
    ['X-A', 'a\r\nX-Evil: 1'],
    ['X-A', `${'a'.repeat(200)}\nX-Evil: 1`],
    ['X-A', 'ж'],
    ['X A', '1'],
    ['X-A:', '1'],
    ['', '1'],
    ['X-A', undefined as never],
  ])('are refused if HTTP does not allow the name or the value: %j, %j', async (...wrong) => {
    const { status, headers } = await respond(['X-Kept', '1', ...wrong], { isFlat })
    expect([status, headers.get('x-kept'), headers.get('x-evil')]).toEqual([500, '1', null])
  })

  it('can contain tabs in their values', async () => {
    const { status, headers } = await respond(['X-A', 'a\tb'], { isFlat })
    expect([status, headers.get('x-a')]).toEqual([200, 'a\tb'])
  })
})

describe('more header names than the cache holds', () => {
  it('are all found in any letter case', async () => {
    const names = Array.from({ length: 1200 }, (_, index) => `X-Name-${index}`)
    const found: boolean[] = []
    await respond(['X-A', '1'], {
      atHead: (res) => {
        for (const name of names) {
          res.setHeader(name, '1')
          found.push(res.hasHeader(name), res.getHeader(name.toUpperCase()) === '1')
          res.removeHeader(name)
          found.push(!res.hasHeader(name))
        }
      },
    })
    expect(found).toEqual(Array(3600).fill(true))
  })
})
