import { describe, expect, it } from 'vitest'
import type { Response } from '../../src/contracts/handler.js'
import { watchCaller } from '../../src/features/cache/response-maker.js'
import { callerOf } from '../../src/http/caller.js'
import type { BlazonRequest } from '../../src/http/request.js'

const res = {} as Response
const request = (fields: object): BlazonRequest =>
  ({ socket: {}, user: undefined, ...fields }) as unknown as BlazonRequest

describe('a client certificate', () => {
  const connection = (fingerprint256?: string) => ({
    encrypted: true,
    getPeerX509Certificate: () => fingerprint256 && { fingerprint256 },
  })

  it('identifies the caller if the request has no user', () => {
    const [ada, bob] = ['AA:01', 'BB:02'].map((text) =>
      callerOf(request({ socket: connection(text) }), res),
    )
    expect([ada, bob]).toEqual(['certificate=AA:01', 'certificate=BB:02'])
    const known = request({ socket: connection('AA:01'), user: { id: 1 } })
    expect(callerOf(known, res)).toBe('user.id=n1')
  })

  it('can be missing, and then no caller is identified', () => {
    const socket = connection()
    expect(callerOf(request({ socket }), res)).toBeNull()
    expect(callerOf(request({ socket }), res)).toBeNull()
    expect(callerOf(request({ socket: { encrypted: true } }), res)).toBeNull()
  })

  it('is read only once per connection', () => {
    let asked = 0
    const socket = {
      encrypted: true,
      getPeerX509Certificate: () => ({ fingerprint256: `C${++asked}` }),
    }
    expect([1, 2].map(() => callerOf(request({ socket }), res))).toEqual([
      'certificate=C1',
      'certificate=C1',
    ])
  })
})

describe('a user', () => {
  it.each([
    [{ id: 1, iss: 'x' }, 'user.id=n1;iss=sx'],
    [{ id: 1, provider: 'github' }, 'user.id=n1;provider=sgithub'],
    [{ id: 1n }, 'user.id=b1'],
    [{ id: null, sub: 'a b' }, 'user.sub=sa%20b'],
    ['a;iss=sx', 'user=sa%3Biss%3Dsx'],
    [Object.assign(() => {}, { id: 'f' }), 'user.id=sf'],
    [Number.NaN, undefined],
    [{ id: Symbol('a') }, undefined],
    [{ id: { toString: (): string => 'a', valueOf: (): number => 1 } }, undefined],
    [
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('no')
          },
        },
      ),
      undefined,
    ],
  ])('has a caller key that contains the type of the ID, or no key: case %#', (user, caller) => {
    expect(callerOf(request({ user }), res)).toBe(caller)
  })
})

describe('a watched request', () => {
  it('has a plain `user` property again after the watch ends', () => {
    const req = request({})
    const end = watchCaller(req, res, null)
    req.user = { id: 1 }
    expect(req.user).toEqual({ id: 1 })
    expect(end()).toBe(false)
    expect(Object.getOwnPropertyDescriptor(req, 'user')).toEqual({
      value: { id: 1 },
      configurable: true,
      enumerable: true,
      writable: true,
    })
  })

  it('keeps a `user` property that a middleware has defined', () => {
    const frozen = Object.defineProperty(request({}), 'user', {
      value: { id: 1 },
      configurable: false,
    })
    expect(watchCaller(frozen, res, 'user.id=n1')()).toBe(true)
    const late = request({})
    const end = watchCaller(late, res, null)
    Object.defineProperty(late, 'user', { get: () => ({ id: 2 }), configurable: true })
    expect(end()).toBe(false)
    expect(late.user).toEqual({ id: 2 })
    const getter = Object.defineProperty(request({}), 'user', {
      get: () => undefined,
      configurable: true,
    })
    expect(watchCaller(getter, res, null)()).toBe(true)
  })
})
