import { describe, expect, it } from 'vitest'
import { Canaries, isUnusualId, LONG, SHORT } from '../../../src/testing/isolation/canaries.js'

const ownersIn = (canaries: Canaries, text: string) =>
  canaries
    .find(text)
    .map(({ owner }) => owner)
    .sort()

describe('a canary', () => {
  it('is found in upper case, between other hex characters, and if its end is cut off', () => {
    const canaries = new Canaries(1)
    const canary = canaries.mint('ana', 'POST /notes')
    expect(canary).toHaveLength(LONG)
    const short = canaries.mint('ben', 'POST /notes', SHORT)
    for (const text of [canary, canary.toUpperCase(), `00${canary}ff`, canary.slice(0, SHORT)])
      expect([text, ownersIn(canaries, `a "${text}" b`)]).toEqual([text, ['ana']])
    expect(ownersIn(canaries, canary.slice(0, SHORT - 1))).toEqual([])
    expect(ownersIn(canaries, `${short}${canary}`)).toEqual(['ana', 'ben'])
    expect(ownersIn(canaries, canaries.draw('ana'))).toEqual([])
  })

  it('differs for each call and seed, and is the same for the same seed', () => {
    const [one, same, other] = [1, 1, 2].map((seed) => new Canaries(seed))
    const first = one?.mint('ana', 'a')
    expect(same?.mint('ben', 'b')).toBe(first)
    expect(other?.mint('ana', 'a')).not.toBe(first)
    expect(one?.mint('ana', 'a')).not.toBe(first)
  })
})

describe('a value that is known as a whole', () => {
  const find = (known: string, text: string) => {
    const canaries = new Canaries(1)
    expect(canaries.learn(known, { owner: 'ana', origin: 'POST /notes' })).toBe(true)
    return ownersIn(canaries, text).length > 0
  }
  const UUID = '0190a0b0-c0d0-7e0f-8a0b-0c0d0e0f1a2b'

  it.each([
    ['a UUID in upper case', UUID, `id=${UUID.toUpperCase()};`, true],
    ['a part of a UUID', UUID, UUID.slice(0, -1), false],
    ['a date that a database has extended', '2031-05-06', '2031-05-06T00:00:00.000Z', true],
    ['a date with another time', '2031-05-06', '2031-05-06T00:00:01Z', false],
    ['a time in another format', '2031-05-06T07:08:09.123Z', '2031-05-06 07:08:09.12+00', true],
    ['a time of another second', '2031-05-06T07:08:09Z', '2031-05-06T07:08:10Z', false],
    ['a number of ten digits', '2031050607', 'total: 2031050607', true],
    ['ten digits of a longer number', '2031050607', '20310506071', false],
  ])('is found or not: %s', (_, known, text, expected) => {
    expect(find(known, text)).toBe(expected)
  })

  it('belongs to nobody if it is added again', () => {
    const canaries = new Canaries(1)
    const owners = ['ana', 'ben', 'ana']
    const isNew = owners.map((owner) => canaries.learn(UUID, { owner, origin: 'POST /notes' }))
    expect([isNew, ownersIn(canaries, UUID)]).toEqual([[true, false, false], []])
  })
})

it('the ID of a tenant is found only as a whole word, if it is long enough', () => {
  const canaries = new Canaries(1)
  canaries.watchId('ana', 'a.me')
  canaries.watchId('ben', 'ben')
  for (const text of ['a.me', '/a.me/', 'x_a.me', 'a.me.example'])
    expect([text, ownersIn(canaries, text)]).toEqual([text, ['ana']])
  for (const text of ['acme', 'aa.me', 'a.me1', 'ben', 'A.ME'])
    expect([text, ownersIn(canaries, text)]).toEqual([text, []])
})

it('an ID is unusual if it has 16 to 64 characters and a digit', () => {
  const ids = ['a'.repeat(15), 'a'.repeat(14), 'a'.repeat(63), 'a'.repeat(64)]
  expect(ids.map((id) => isUnusualId(`${id}1`))).toEqual([true, false, true, false])
  expect(isUnusualId('a'.repeat(16))).toBe(false)
  expect(isUnusualId(`${'a'.repeat(15)}.1`)).toBe(false)
})
