import { EventEmitter } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Request } from 'blazon'
import { describe, expect, it } from 'vitest'
import { ReceivedBodies } from '../../src/features/capsules/received-bodies.js'

function arriving(bodies: ReceivedBodies): Request {
  const req = new IncomingMessage(new Socket())
  Object.assign(req, { res: new EventEmitter() })
  req.headers['transfer-encoding'] = 'chunked'
  bodies.follow(req as Request)
  return req as Request
}

const MILLION = Buffer.alloc(1_000_000)

describe('received bodies that are kept for capsules', () => {
  it('share a size limit until their requests end', () => {
    const bodies = new ReceivedBodies()
    const send = () => {
      const req = arriving(bodies)
      req.push(MILLION)
      req.push(null)
      return req
    }
    const all = Array.from({ length: 33 }, send)
    const [first, ...others] = all.map((req) => bodies.of(req))
    expect(first).toMatchObject({ omitted: null, isMissed: false })
    expect(first?.bytes?.length).toBe(1_000_000)
    const missed = {
      bytes: null,
      omitted: 'Too many bodies arrived at the same time.',
      isMissed: true,
    }
    expect(others.at(-1)).toEqual(missed)
    expect(bodies.of(send())).toEqual(missed)
    all[0]?.res?.emit('close')
    expect(bodies.of(send()).omitted).toBeNull()
    expect(bodies.of(send())).toEqual(missed)
  })

  it('are omitted if a part of them is missing', () => {
    const bodies = new ReceivedBodies()
    const half = arriving(bodies)
    half.push('half')
    expect(bodies.of(half)).toMatchObject({
      isMissed: false,
      omitted: expect.stringMatching(/not read/),
    })
    half.read()
    expect(bodies.of(half)).toMatchObject({
      isMissed: true,
      omitted: expect.stringMatching(/completely/),
    })

    const late = new IncomingMessage(new Socket()) as Request
    late.headers['transfer-encoding'] = 'chunked'
    late.push('before')
    bodies.follow(late)
    late.push(null)
    expect(bodies.of(late)).toMatchObject({ bytes: null, isMissed: true })
  })
})
