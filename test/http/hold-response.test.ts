import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Response } from 'blazon'
import compression from 'compression'
import { describe, expect, it } from 'vitest'
import { dropLaterCalls, keepFirstResponse } from '../../src/http/send/end-early.js'
import { holdResponse } from '../../src/http/send/hold-response.js'

/** A promise that a test settles. */
function gate() {
  let open!: () => void
  let shut!: (error: Error) => void
  const promise = new Promise<void>((resolve, reject) => {
    open = resolve
    shut = reject
  })
  return { promise, open, shut }
}

type Answer = (res: ServerResponse) => unknown

/** Holds the response of a handler, and returns the response that the client has received. */
async function exchange(
  answer: Answer,
  { before = async () => {}, refused = () => {} }: Partial<Parameters<typeof holdResponse>[1]> = {},
) {
  const server = createServer((_req, res) => {
    holdResponse(res as unknown as Response, {
      before,
      refused: (error) => (refused as Refused)(error, res),
    })
    void answer(res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    return { status: response.status, headers: response.headers, text: await response.text() }
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}

type Refused = (error: unknown, res: ServerResponse) => void

const ways: Record<string, Answer> = {
  end: (res) => res.end('whole'),
  'writeHead and end': (res) => res.writeHead(200, { 'x-by': 'head' }).end('whole'),
  'write and end': (res) => {
    res.write('wh')
    res.end('ole')
  },
  'flushHeaders and end': (res) => {
    res.flushHeaders()
    res.end('whole')
  },
  'a pipe': (res) => Readable.from(['wh', 'o', 'le']).pipe(res),
}

/** Calls that Node refuses. */
const unsendable: Record<string, (res: ServerResponse) => unknown> = {
  'a header of two lines': (res) => res.writeHead(200, { 'x-by': 'a\r\nx-more: b' }).end(),
  'a header of two lines, in a list': (res) => res.writeHead(200, ['x-by', 'a\nb']).end(),
  'an invalid header name': (res) => res.writeHead(200, 'OK', { 'x by': 'a' }).end(),
  'a header without a value': (res) => res.writeHead(200, { 'x-by': undefined }).end(),
  'a header without a value, in a list': (res) => res.writeHead(200, ['x-by']).end(),
  'a head with an invalid status': (res) => res.writeHead(99).end(),
  'an invalid `statusCode`': (res) => Object.assign(res, { statusCode: 1000 }).end(),
  'a reason of two lines': (res) => res.writeHead(200, 'a\nb').end(),
  'a reason of two lines, in `statusMessage`': (res) =>
    Object.assign(res, { statusMessage: 'a\nb' }).end(),
  'a number passed to `end`': (res) => res.end(123),
  'a chunk that is an object': (res) => res.write({}),
  'a chunk that is null': (res) => res.write(null),
}

/** The code of the error that Node throws if the response is not held. */
function codeWithout(call: (res: ServerResponse) => unknown): string {
  const res = new ServerResponse(new IncomingMessage(new Socket()))
  try {
    call(res)
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
  return 'nothing'
}

describe('a held response', () => {
  it.each(Object.entries(ways))(
    'is sent unchanged after `before` resolves: %s',
    async (_, answer) => {
      const order: string[] = []
      const { status, text } = await exchange(answer, {
        before: async () => {
          order.push('before')
        },
      })
      expect([status, text, order]).toEqual([200, 'whole', ['before']])
    },
  )

  it('appears ended to its handler, but is not sent until `before` resolves', async () => {
    const { promise, open } = gate()
    const seen: unknown[] = []
    await exchange(
      (res) => {
        seen.push(res.headersSent, res.writableEnded)
        res.end('whole')
        seen.push(res.headersSent, res.writableEnded, res.writableFinished)
        open()
      },
      { before: () => promise },
    )
    expect(seen).toEqual([false, false, true, true, false])
  })

  it('keeps its status, headers and body after end()', async () => {
    const { promise, open } = gate()
    const codes: unknown[] = []
    const { status, text, headers } = await exchange(
      (res) => {
        res.statusCode = 201
        res.setHeader('x-by', 'first')
        res.end('first')
        res.statusCode = 500
        try {
          res.setHeader('x-by', 'second')
        } catch (error) {
          codes.push((error as NodeJS.ErrnoException).code)
        }
        res.end('second')
        open()
      },
      { before: () => promise },
    )
    expect([status, text, headers.get('x-by')]).toEqual([201, 'first', 'first'])
    expect(codes).toEqual(['ERR_HTTP_HEADERS_SENT'])
  })

  it('passes its status to `before`', async () => {
    const statuses: number[] = []
    const before = async (status: number) => void statuses.push(status)
    await exchange((res) => res.writeHead(503).end(), { before })
    await exchange((res) => Object.assign(res, { statusCode: 404 }).end(), { before })
    expect(statuses).toEqual([503, 404])
  })

  it('passes its content to `before`: its body in the encodings of its chunks, once it has ended', async () => {
    const bodies: unknown[] = []
    const { promise, open } = gate()
    const { text } = await exchange(
      (res) => {
        res.write(Buffer.from('first '))
        // The two bytes of one character in UTF-8.
        res.write('\u00c3\u00a9', 'latin1')
        res.end(' last')
        open()
      },
      {
        before: async (_status, content) => {
          bodies.push(content().body)
          await promise
          bodies.push(String(content().body))
        },
      },
    )
    expect([bodies, text]).toEqual([[null, 'first é last'], 'first é last'])
  })

  it('can have a list of pairs as the headers of its head', async () => {
    const contents: unknown[] = []
    const { headers } = await exchange(
      (res) => res.writeHead(200, [['X-By', 'head']] as never).end(),
      {
        before: async (_status, content) => void contents.push(content().headers['x-by']),
      },
    )
    expect([headers.get('x-by'), contents]).toEqual(['head', ['head']])
  })

  it('is replaced by the response of `refused` if `before` rejects', async () => {
    const { status, text, headers } = await exchange(
      (res) => res.writeHead(200, { 'x-by': 'first' }).end('first'),
      {
        before: () => Promise.reject(new Error('no')),
        refused: ((error: Error, res: ServerResponse) =>
          res.writeHead(500).end(error.message)) as never,
      },
    )
    expect([status, text, headers.get('x-by')]).toEqual([500, 'no', null])
  })

  it('is sent, and ignores the calls of its handler after dropLaterCalls()', async () => {
    const { promise, open } = gate()
    const { status, text } = await exchange(
      (res) => {
        res.statusCode = 503
        res.end('too late')
        dropLaterCalls(res)
        res.writeHead(200)
        res.end('late')
        open()
      },
      { before: () => promise },
    )
    expect([status, text]).toEqual([503, 'too late'])
  })

  it('returns the usual values from the calls that it ignores', () => {
    const res = new ServerResponse(new IncomingMessage(new Socket()))
    dropLaterCalls(res)
    expect(res.writeHead(200).setHeader('x-late', '1').appendHeader('x-late', '2')).toBe(res)
    // A handler that gets `false` waits for `drain`, which never comes.
    expect(res.write('late')).toBe(true)
    expect(res.end('late')).toBe(res)
    expect(res.getHeaders()).toEqual({})
    const first = new ServerResponse(new IncomingMessage(new Socket()))
    keepFirstResponse(first)
    first.end()
    expect([first.write('late'), first.end('late')]).toEqual([true, first])
  })

  const lateCalls: [string, (res: ServerResponse) => unknown][] = [
    ['setHeader', (res) => res.setHeader('x-late', '1')],
    ['appendHeader', (res) => res.appendHeader('x-late', '1')],
    ['removeHeader', (res) => res.removeHeader('x-kept')],
    ['writeHead', (res) => res.writeHead(200, { 'x-late': '1' })],
    ['flushHeaders', (res) => res.flushHeaders()],
    ['write', (res) => res.write('late')],
    ['end', (res) => res.end('late')],
  ]
  const orders = ['before', 'after'] as const
  it.each(lateCalls.flatMap(([name, call]) => orders.map((order) => [name, order, call] as const)))(
    'ignores a late call of %s if keepFirstResponse() was called %s the first response',
    async (_, order, sayLate) => {
      const { promise, open } = gate()
      const { status, headers, text } = await exchange(
        (res) => {
          if (order === 'before') keepFirstResponse(res)
          res.statusCode = 503
          res.setHeader('x-kept', '1')
          res.end('too late')
          if (order === 'after') keepFirstResponse(res)
          sayLate(res)
          open()
          setImmediate(sayLate, res)
        },
        { before: () => promise },
      )
      expect([status, headers.get('x-kept'), headers.get('x-late'), text]).toEqual([
        503,
        '1',
        null,
        'too late',
      ])
    },
  )

  it('can be held twice', async () => {
    const order: string[] = []
    const { text } = await exchange(
      (res) => {
        holdResponse(res as unknown as Response, {
          before: async () => void order.push('inner'),
          refused: () => {},
        })
        res.end('whole')
      },
      { before: async () => void order.push('outer') },
    )
    expect([text, order]).toEqual(['whole', ['inner', 'outer']])
  })

  it.each(Object.entries(unsendable))(
    'throws immediately in a call that Node refuses: %s',
    async (_, call) => {
      const order: string[] = []
      const { status, text } = await exchange(
        (res) => {
          try {
            call(res)
          } catch (error) {
            const { code } = error as NodeJS.ErrnoException
            order.push(codeWithout(call))
            res.writeHead(422, 'Not so').end(code)
          }
        },
        { before: async () => void order.push('before') },
      )
      expect([status, text, order]).toEqual([422, order[0], [order[0], 'before']])
    },
  )

  it('refuses a second call of `writeHead`', async () => {
    const codes: unknown[] = []
    const { status, text } = await exchange((res) => {
      res.writeHead(201)
      try {
        res.writeHead(202)
      } catch (error) {
        codes.push((error as NodeJS.ErrnoException).code)
      }
      res.end('whole')
    })
    expect([status, text, codes]).toEqual([201, 'whole', ['ERR_HTTP_HEADERS_SENT']])
  })

  it('closes the connection, but not the process, if it cannot be sent and `refused` throws', async () => {
    const codes: unknown[] = []
    const cut = exchange(
      (res) => {
        res.strictContentLength = true
        res.setHeader('content-length', 1)
        res.end('too long')
      },
      {
        refused: ((error: NodeJS.ErrnoException) => {
          codes.push(error.code)
          throw error
        }) as never,
      },
    )
    await expect(cut).rejects.toThrow()
    expect(codes).toEqual(['ERR_HTTP_CONTENT_LENGTH_MISMATCH'])
  })

  it.each([1, 100, 1000])(
    'is sent completely through a compression middleware, which wraps `drain`: %i chunks',
    async (n) => {
      const compress = compression({ threshold: 0 })
      const chunks = Array.from({ length: n }, () => 'x'.repeat(1000))
      const server = createServer((req, res) => {
        compress(req as never, res as never, () => {
          holdResponse(res as unknown as Response, { before: async () => {}, refused: () => {} })
          res.setHeader('content-type', 'text/plain')
          Readable.from(chunks).pipe(res)
        })
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      try {
        const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
        expect(answer.headers.get('content-encoding')).toBe('gzip')
        expect(await answer.text()).toHaveLength(n * 1000)
      } finally {
        await new Promise((resolve) => server.close(resolve))
      }
    },
  )

  it('is not sent if its connection has closed', async () => {
    const { promise, open } = gate()
    const closed = gate()
    await expect(
      exchange(
        (res) => {
          res.once('close', () => {
            open()
            closed.open()
          })
          res.end('whole')
          res.destroy()
        },
        { before: () => promise },
      ),
    ).rejects.toThrow()
    await closed.promise
  })
})
