import { App, type Response } from 'blazon'
import { addHeaders, replayResponse } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'

/** The headers of a response to which a middleware has added some, at a real socket. */
async function respond(
  security: object,
  change: (res: Response) => void,
): Promise<globalThis.Response> {
  const app = await App.create({
    controllers: [],
    security,
    logger: false,
    middlewares: [
      (_req, res) => {
        change(res)
        if (!res.headersSent) res.json({ seen: res.getHeader('X-A') })
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

const SECURITY = [
  ['with', {}],
  ['without', { helmet: false, cors: false }],
] as const

describe.each(SECURITY)('addHeaders() %s security headers', (_, security) => {
  // Of a response without headers of its own, the head is written in one call.
  describe.each([false, true])('if another header is set: %s', (isChanged) => {
    const send = (change: (res: Response) => void) =>
      respond(security, (res) => {
        change(res)
        if (isChanged) res.setHeader('X-Other', '1')
      })

    it('joins the values of a header, ignoring the letter case of its name', async () => {
      const { headers } = await send((res) => {
        addHeaders(res, ['X-A', '1', 'X-B', '1'])
        addHeaders(res, ['x-a', '2', 'X-C', '1', 'x-c', '2'])
      })
      const names = ['x-a', 'x-b', 'x-c'] as const
      expect(names.map((name) => headers.get(name))).toEqual(['1, 2', '1', '1, 2'])
    })

    it('adds headers that a handler can read, replace and remove', async () => {
      const response = await send((res) => {
        addHeaders(res, ['X-A', '1', 'X-B', '1', 'X-C', '1'])
        addHeaders(res, ['X-A', '2'])
        res.setHeader('X-B', 'own')
        res.removeHeader('X-C')
      })
      const { headers } = response
      expect(await response.json()).toEqual({ seen: '1, 2' })
      expect([headers.get('x-b'), headers.get('x-c')]).toEqual(['own', null])
    })

    it('does not replace a header that was set before, but adds names to Vary', async () => {
      const { headers } = await send((res) => {
        res.vary('Accept')
        res.setHeader('X-B', 'own')
        addHeaders(res, ['Vary', 'X-Region', 'X-B', 'added'])
      })
      expect(headers.get('vary')).toMatch(/Accept, X-Region$/)
      expect(headers.get('x-b')).toBe('own')
    })

    it('adds a header again after it was removed', async () => {
      const { headers } = await send((res) => {
        addHeaders(res, ['X-A', '1'])
        res.removeHeader('X-A')
        res.removeHeader('X-Frame-Options')
        addHeaders(res, ['X-A', '2', 'X-Frame-Options', 'DENY'])
      })
      expect([headers.get('x-a'), headers.get('x-frame-options')]).toEqual(['2', 'DENY'])
    })

    it('sends each cookie in its own Set-Cookie header', async () => {
      const { headers } = await send((res) => {
        addHeaders(res, ['Set-Cookie', 'a=1', 'set-cookie', 'b=2'])
        addHeaders(res, ['Set-Cookie', 'c=3'])
        res.cookie('d', '4')
      })
      expect(headers.getSetCookie()).toEqual(['a=1', 'b=2', 'c=3', 'd=4; Path=/'])
    })

    it('replaces a helmet header, and sends Content-Type and Content-Length only once', async () => {
      const { headers } = await send((res) =>
        addHeaders(res, [
          ...['X-Frame-Options', 'DENY', 'Content-Type', 'application/vnd.a+json'],
          ...['Content-Length', '1'],
        ]),
      )
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('content-type')).toMatch(/^application\/vnd\.a\+json(; charset=utf-8)?$/)
      expect(headers.get('content-length')).toBe('2')
    })

    it.each([
      ['a line break', ['X-A', 'a\r\nX-Evil: 1']],
      ['a character that HTTP does not allow', ['X-A', '\u2028']],
      ['a name with a space', ['X A', '1']],
      ['a name without a value', ['X-A']],
    ])('results in a 500 response for %s', async (_, list) => {
      const response = await send((res) => {
        addHeaders(res, ['X-Kept', '1'])
        addHeaders(res, list)
      })
      expect(response.status).toBe(500)
      expect(response.headers.get('x-evil')).toBeNull()
      expect(response.headers.get('x-kept')).toBe('1')
      expect(await response.json()).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
    })

    it('lets the headers of a stored response override the added headers', async () => {
      const { headers } = await send((res) => {
        addHeaders(res, ['X-A', 'added'])
        const stored = ['x-a', 'stored', 'content-length', '9', 'Set-Cookie', 'a=1']
        replayResponse(res, { headers: [...stored, 'Set-Cookie', 'b=2'], body: '{}' })
      })
      expect([headers.get('x-a'), headers.get('content-length')]).toEqual(['stored', '2'])
      expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    })
  })

  it('still adds headers after `getHeaders()` was called', async () => {
    const response = await respond(security, (res) => {
      addHeaders(res, ['X-A', '1', 'X-B', '1'])
      res.getHeaders()
      addHeaders(res, ['X-A', '2', 'X-C', '1'])
      res.removeHeader('X-B')
      addHeaders(res, ['X-B', '2'])
    })
    const { headers } = response
    const names = ['x-a', 'x-b', 'x-c'] as const
    expect(names.map((name) => headers.get(name))).toEqual(['1, 2', '2', '1'])
  })

  it('adds a header that is not sent if it is removed afterwards', async () => {
    const { headers } = await respond(security, (res) => {
      addHeaders(res, ['X-A', '1'])
      res.removeHeader('X-A')
    })
    expect(headers.get('x-a')).toBeNull()
  })

  it('does not change its argument, and adds nothing after the head is sent', async () => {
    const list = Object.freeze(['X-A', '1'])
    const { headers } = await respond(security, (res) => {
      addHeaders(res, list)
      addHeaders(res, ['X-A', '2'])
      res.json({})
      addHeaders(res, ['X-C', 'late'])
    })
    expect([headers.get('x-a'), headers.get('x-c')]).toEqual(['1, 2', null])
  })
})
