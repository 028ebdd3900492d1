import type { Request } from 'blazon'
import { expect, it } from 'vitest'
import { KeyUses } from '../../../src/integrations/api-keys/api-keys.js'
import { FoundKeys } from '../../../src/integrations/api-keys/found-keys.js'
import { TestClock } from '../../../src/testing/test-clock.js'

const MOST = 10_000

it('the cache of API keys contains 10,000 keys, and a new key replaces the oldest one', async () => {
  const clock = new TestClock()
  await clock.advance(0)
  const lookedUp: string[] = []
  const find = async (hash: string) => {
    lookedUp.push(hash)
    return { id: hash, hash }
  }
  const keys = new FoundKeys({ clock, cacheMs: 1000, find })
  for (let n = 0; n < MOST; n++) await keys.get(`${n}`)
  lookedUp.length = 0
  for (const hash of ['0', '1']) await keys.get(hash)
  expect(lookedUp).toEqual([])
  await keys.get('new')
  for (const hash of ['new', '1', '0']) await keys.get(hash)
  expect(lookedUp).toEqual(['new', '0'])
})

it('a look-up of an API key is shared even if an older look-up of the key ends meanwhile', async () => {
  const clock = new TestClock()
  await clock.advance(0)
  const ends: (() => void)[] = []
  const find = async (hash: string) => {
    await new Promise<void>((resolve) => ends.push(resolve))
    return { id: hash, hash, revokedAt: 1 }
  }
  const keys = new FoundKeys({ clock, cacheMs: 1000, find })
  const first = keys.get('a')
  await clock.advance('1s')
  const second = keys.get('a')
  expect(ends).toHaveLength(2)
  ends[0]?.()
  await first
  const third = keys.get('a')
  expect(ends).toHaveLength(2)
  ends[1]?.()
  expect(await Promise.all([second, third])).toEqual([undefined, undefined])
})

it('a use of an API key is reported once per interval for up to 10,000 keys', async () => {
  const clock = new TestClock()
  await clock.advance(0)
  const reported: string[] = []
  const logger = { info() {}, warn() {}, error() {} }
  const report = ({ id }: { readonly id: string }) => void reported.push(id)
  const uses = new KeyUses({ clock, logger, useMs: 1000, report })
  const use = async (id: string) => {
    uses.note({ id, hash: id }, {} as Request)
    await uses.settle()
  }
  for (let n = 0; n < MOST; n++) uses.note({ id: `${n}`, hash: '' }, {} as Request)
  await uses.settle()
  expect(reported).toHaveLength(MOST)
  reported.length = 0
  await use('0')
  await use('new')
  await use('1')
  await use('0')
  expect(reported).toEqual(['new', '0'])
})

it('the interval of a use of an API key begins with its last report', async () => {
  const clock = new TestClock()
  await clock.advance(0)
  const reported: string[] = []
  const logger = { info() {}, warn() {}, error() {} }
  const report = ({ id }: { readonly id: string }) => void reported.push(id)
  const uses = new KeyUses({ clock, logger, useMs: 1000, report })
  for (const [pause, id] of [
    ['0s', 'a'],
    ['600ms', 'b'],
    ['400ms', 'a'],
    ['200ms', 'c'],
    ['400ms', 'b'],
    ['300ms', 'a'],
    ['100ms', 'a'],
  ] as const) {
    await clock.advance(pause)
    uses.note({ id, hash: '' }, {} as Request)
    await uses.settle()
  }
  expect(reported).toEqual(['a', 'b', 'a', 'c', 'b', 'a'])
})
