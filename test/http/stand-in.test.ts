import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { cutOff } from '../../src/http/send/end-early.js'
import { collectorsOf, prepareStandIn } from '../../src/http/send/stand-in.js'
import { turns } from '../journeys/turns.js'

/** A response of a serverless adapter: it has no connection. */
function standIn(socket: object | null = null): ServerResponse {
  return prepared(new ServerResponse(requestOf(socket)))
}

function requestOf(socket: object | null): IncomingMessage {
  return new IncomingMessage(socket as Socket)
}

/** Adopts a response, as an application does. */
function prepared<T extends ServerResponse>(res: T, socket: object | null = null): T {
  const collectors = collectorsOf(res, requestOf(res.req?.socket ?? socket))
  if (collectors === null) return res
  Object.setPrototypeOf(res, ServerResponse.prototype)
  prepareStandIn(res, collectors)
  return res
}

type WriteHead = (...args: unknown[]) => ServerResponse

/** The headers that an adapter reads after the head was written with these arguments. */
function headersAfter(...args: unknown[]) {
  const res = standIn()
  res.setHeader('X-Set', 'before')
  ;(res.writeHead as WriteHead)(...args)
  return { status: res.statusCode, reason: res.statusMessage, ...res.getHeaders() }
}

const START = { status: 203, reason: 'Non-Authoritative Information', 'x-set': 'before' }

describe('the headers of a response without a connection', () => {
  it.each<[string, unknown[], object]>([
    [
      'an object',
      [203, { 'X-A': '1', 'X-Many': ['a', 'b'] }],
      { 'x-a': '1', 'x-many': ['a', 'b'] },
    ],
    ['an object after a reason', [203, 'Fine', { 'X-A': '1' }], { reason: 'Fine', 'x-a': '1' }],
    ['an object after no reason', [203, undefined, { 'X-A': '1' }], { 'x-a': '1' }],
    ['a header that was set before', [203, { 'x-set': 'head' }], { 'x-set': 'head' }],
    ['a header without a value', [203, { 'X-A': undefined }], {}],
    ['a list', [203, ['X-A', '1', 'X-B', '2']], { 'x-a': '1', 'x-b': '2' }],
    ['a list with one name twice', [203, ['X-A', '1', 'x-a', '2']], { 'x-a': ['1', '2'] }],
    [
      'a list of pairs',
      [
        203,
        [
          ['X-A', '1'],
          ['X-A', '2'],
        ],
      ],
      { 'x-a': ['1', '2'] },
    ],
    ['a list that replaces a header', [203, ['x-set', 'head']], { 'x-set': 'head' }],
    ['an empty list', [203, []], {}],
    ['a status and a reason', [203, 'Fine'], { reason: 'Fine' }],
    ['only a status', [203], {}],
  ])('can be read if writeHead was called with %s', (_, args, expected) => {
    expect(headersAfter(...args)).toEqual({ ...START, ...expected })
  })

  it('are written by a custom `writeHead` that was set before', () => {
    const res = new ServerResponse(requestOf(null))
    const own = () => res
    res.writeHead = own
    prepared(res)
    expect(res.writeHead).toBe(own)
  })

  it('are handled by the framework, or by Node if there is a real connection', () => {
    const connected = standIn(new Socket())
    expect(Object.hasOwn(connected, 'writeHead')).toBe(false)
    expect(Object.hasOwn(standIn({}), 'writeHead')).toBe(true)
  })

  it('can be sent over a mock socket without `writableLength`', () => {
    const res = new ServerResponse(requestOf(null))
    const bare = {}
    const counting = { writableLength: 7 }
    for (const socket of [bare, counting]) {
      Object.defineProperty(res, 'socket', { value: socket, configurable: true })
      prepared(res)
    }
    expect([bare, counting]).toMatchObject([{ writableLength: 0 }, { writableLength: 7 }])
  })
})

/** A response whose connection keeps what is written, and reports as little as those of adapters do. */
function collected(write: (...args: unknown[]) => unknown) {
  const res = new ServerResponse(requestOf(null))
  const on = () => {}
  const methods = { on, removeListener: on, destroy: on, cork: on, uncork: on, write }
  res.assignSocket({ writable: true, _writableState: {}, ...methods } as never)
  return prepared(res)
}

describe('a response without a connection', () => {
  it('does not wait for `drain` if `write` of its mock connection returns nothing', () => {
    const taken: unknown[] = []
    expect(collected((chunk) => void taken.push(chunk)).write('text')).toBe(true)
    expect(taken).not.toEqual([])
    expect(collected(() => false).write('text')).toBe(false)
  })

  it('keeps the methods of its class that collect the body', () => {
    const calls: string[] = []
    class Collecting extends ServerResponse {
      override write(): boolean {
        return calls.push('write') > 0
      }
      override end(): this {
        calls.push('end')
        return this
      }
      override writeHead(status: number): this {
        calls.push(`writeHead ${status} ${this.getHeader('x-a')}`)
        return super.writeHead(status)
      }
      override destroy(): this {
        calls.push('destroy')
        return this
      }
    }
    const res: ServerResponse = prepared(new Collecting(requestOf(null)))
    res.writeHead(201, { 'X-A': '1' })
    res.write('text')
    res.end()
    res.destroy()
    expect(calls).toEqual(['writeHead 201 1', 'write', 'end', 'destroy'])
  })

  it('emits `error` and `close` once after its destruction, also to an adapter that listens later', async () => {
    const res = collected(() => true)
    const reason = new Error('The stream failed')
    res.destroy(reason).destroy()
    const events: unknown[] = []
    res.on('error', (error) => events.push(error))
    await new Promise<void>((resolve) => {
      res.on('close', () => {
        events.push('close')
        resolve()
      })
    })
    await turns()
    expect(events).toEqual([reason, 'close'])
  })

  it('emits no error if it is destroyed after it has ended', async () => {
    const res = collected(() => true)
    res.on('error', (error) => expect.fail(String(error)))
    res.end('text')
    res.destroy()
    await turns()
    expect(res.destroyed).toBe(true)
  })

  it('is destroyed if it is aborted and its mock connection cannot be ended', () => {
    const res = collected(() => true)
    res.on('error', () => {})
    cutOff(res as never)
    expect(res.destroyed).toBe(true)
  })
})
