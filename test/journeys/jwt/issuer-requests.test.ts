import { inspect } from 'node:util'
import { jwt } from 'blazon/jwt'
import { describe, expect, it, vi } from 'vitest'
import { gate } from '../gate.js'
import { createGuarded } from './app.js'
import { forge } from './forge.js'
import { FAR, makeKey, startIssuer } from './issuer.js'

const [first, second, third] = [makeKey('k1'), makeKey('k2'), makeKey('k3')]

async function withIssuer() {
  const issuer = await startIssuer(first)
  const guarded = await createGuarded(jwt({ issuer: issuer.url, audience: 'orders' }))
  return { issuer, ...guarded }
}

describe('the requests to an issuer', () => {
  it('ask for its metadata only once, and again after its keys could not be read', async () => {
    const { issuer, send, app } = await withIssuer()
    app.clock.set(new Date())
    const place = '/.well-known/openid-configuration'
    expect((await send(issuer.token(first))).status).toBe(200)
    const unknown = () => send(issuer.token(second))
    await app.clock.advance('30s')
    await unknown()
    expect(issuer.requests).toEqual([place, '/keys', '/keys'])
    const answer = issuer.mood
    issuer.mood = 'down'
    await app.clock.advance('30s')
    await unknown()
    issuer.mood = answer
    issuer.requests.length = 0
    await app.clock.advance('30s')
    await unknown()
    expect(issuer.requests).toEqual([place, '/keys'])
  })

  it('ask for the metadata of RFC 8414 only if the other metadata does not exist', async () => {
    const { issuer, send } = await withIssuer()
    issuer.mood = (_, res) => res.end('<html>')
    expect((await send(issuer.token(first))).status).toBe(503)
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration'])
  })

  it('are not repeated for tokens without a kid', async () => {
    const { issuer, send, app } = await withIssuer()
    app.clock.set(new Date())
    for (const sub of ['a', 'b']) {
      expect((await send(issuer.token(first, { sub }, { kid: undefined }))).status).toBe(200)
      await app.clock.advance('30s')
    }
    expect(issuer.requests).toHaveLength(2)
  })

  it('accept up to 100 keys', async () => {
    const { issuer, send } = await withIssuer()
    issuer.keys = [...Array.from({ length: 99 }, () => second.jwk), first.jwk]
    expect((await send(issuer.token(first))).status).toBe(200)
  })

  it('end after five seconds, so the client receives a 503', async () => {
    const over = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(over.signal)
    const asked = gate()
    const accepted: unknown[] = []
    const guard = jwt({
      jwks: 'https://id.example.com/keys',
      audience: 'orders',
      fetch: (_url, { signal, headers }) => {
        accepted.push(headers)
        asked.open()
        return new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
        })
      },
    })
    const { send, log } = await createGuarded(guard)
    const answer = send(forge({ alg: 'ES256' }, { sub: 'a', aud: 'orders', exp: FAR }, first)).then(
      ({ status }) => status,
    )
    await asked.opened
    expect(timeout.mock.calls).toContainEqual([5000])
    timeout.mockRestore()
    over.abort(new Error('too late'))
    expect(await answer).toBe(503)
    expect(accepted).toEqual([{ accept: 'application/json, application/jwk-set+json' }])
    expect(inspect(log.facts)).toContain('too late')
  })

  it('end the validity of a key also while the user of its token is looked up', async () => {
    const { open, opened } = gate()
    const begun = gate()
    const user = async ({ slow, sub }: { readonly slow?: boolean; readonly sub?: string }) => {
      if (slow === true) {
        begun.open()
        await opened
      }
      return { id: sub }
    }
    const issuer = await startIssuer(first, second)
    const guard = jwt({ issuer: issuer.url, audience: 'orders', user })
    const { send, app } = await createGuarded(guard, { timeouts: { handler: false } })
    app.clock.set(new Date())
    const slow = send(issuer.token(first, { slow: true })).then(({ status }) => status)
    await begun.opened
    issuer.keys = [second.jwk, third.jwk]
    await app.clock.advance('30s')
    expect((await send(issuer.token(third))).status).toBe(200)
    open()
    expect(await slow).toBe(401)
  })
})
