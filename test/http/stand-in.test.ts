import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { setHeadersForStandIn } from '../../src/http/send/stand-in.js'

/** A response of a serverless adapter: it has no connection. */
function standIn(socket: object | null = null): ServerResponse {
  const res = new ServerResponse(new IncomingMessage(socket as Socket))
  setHeadersForStandIn(res)
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
    ['a reason alone', [203, 'Fine'], { reason: 'Fine' }],
    ['nothing', [203], {}],
  ])('can be read where writeHead got %s', (_, args, expected) => {
    expect(headersAfter(...args)).toEqual({ ...START, ...expected })
  })

  it('are written by the `writeHead` that other code has set before', () => {
    const res = new ServerResponse(new IncomingMessage(null as unknown as Socket))
    const own = () => res
    res.writeHead = own
    setHeadersForStandIn(res)
    expect(res.writeHead).toBe(own)
  })

  it('are left to Node where there is a connection', () => {
    const connected = standIn(new Socket())
    expect(Object.hasOwn(connected, 'writeHead')).toBe(false)
    expect(Object.hasOwn(standIn({}), 'writeHead')).toBe(true)
  })

  it('can be sent over a mock socket that counts no bytes', () => {
    const res = new ServerResponse(new IncomingMessage(null as unknown as Socket))
    const bare = {}
    const counting = { writableLength: 7 }
    for (const socket of [bare, counting]) {
      Object.defineProperty(res, 'socket', { value: socket, configurable: true })
      setHeadersForStandIn(res)
    }
    expect([bare, counting]).toEqual([{ writableLength: 0 }, { writableLength: 7 }])
  })
})
