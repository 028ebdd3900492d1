import { randomUUID } from 'node:crypto'
import type { IdempotencyStore } from 'blazon'
import type { IdempotencyClaim } from 'blazon/plugin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** An open store, and how the test ends it. */
export interface IdempotencyStoreUnderTest {
  readonly store: IdempotencyStore
  /** Runs work as one request: in a transaction, if the store needs one. */
  request<T>(work: () => Promise<T>): Promise<T>
  end(): Promise<void>
}

type Claimed = Extract<IdempotencyClaim, { state: 'claimed' }>

/** The conformance suite of `IdempotencyStore`. Other tests may use the store, so each test uses new keys. */
export function describeIdempotencyStore(
  name: string,
  open: () => Promise<IdempotencyStoreUnderTest>,
) {
  describe(`${name} as an IdempotencyStore`, () => {
    let under: IdempotencyStoreUnderTest
    beforeEach(async () => {
      under = await open()
    })
    afterEach(() => under.end())

    const newKey = () =>
      Buffer.from(randomUUID() + randomUUID())
        .subarray(0, 32)
        .toString('base64url')
    const claim = async (key: string) => await under.store.claim(key, 60_000)
    const claimed = async (key: string) => {
      const found = await claim(key)
      expect(found.state).toBe('claimed')
      return found as Claimed
    }

    it('gives a key to the first request, and returns its record to later requests', async () => {
      const key = newKey()
      const record = JSON.stringify({ text: '"ä\u0000€' })
      await under.request(async () => (await claimed(key)).keep(record))
      expect(await under.request(() => claim(key))).toEqual({ state: 'kept', record })
      expect((await under.request(() => claim(newKey()))).state).toBe('claimed')
    })

    it('gives a released key to the next request', async () => {
      const key = newKey()
      await under.request(async () => (await claimed(key)).free())
      await under.request(async () => (await claimed(key)).keep('{"second":true}'))
      expect(await under.request(() => claim(key))).toMatchObject({ record: '{"second":true}' })
    })

    it('gives a key to only one of many concurrent requests', async () => {
      const key = newKey()
      let release = () => {}
      const others = new Promise<void>((resolve) => {
        release = resolve
      })
      let left = 6
      const all = await Promise.all(
        Array.from({ length: left }, () =>
          under.request(async () => {
            const found = await claim(key)
            if (--left === 0) release()
            await others
            if (found.state === 'claimed') await found.keep('{}')
            return found.state
          }),
        ),
      )
      expect(all.sort()).toEqual(['claimed', ...Array(5).fill('running')])
      expect((await under.request(() => claim(key))).state).toBe('kept')
    })

    it('does not release a key that another request has acquired in the meantime', async () => {
      const key = newKey()
      const first = await under.request(() => claimed(key))
      await under.request(async () => first.free())
      await under.request(async () => (await claimed(key)).keep('{"own":1}'))
      await under.request(async () => first.free())
      expect(await under.request(() => claim(key))).toMatchObject({ record: '{"own":1}' })
    })
  })
}
