import { describe, expect, it } from 'vitest'
import { genericErrors, limitErrors } from '../../src/pipeline/field-errors.js'

const error = (path: string, message = 'is not valid') => ({ in: 'body', path, message }) as const

describe('the field errors of a response', () => {
  it('are at most 20, and stay the same objects if they are short', () => {
    const all = Array.from({ length: 25 }, (_, n) => error(`field${n}`))
    const limited = limitErrors(all)
    expect(limited).toEqual(all.slice(0, 20))
    expect(limited[0]).toBe(all[0])
  })

  it('have names of at most 250 and messages of at most 1,000 characters', () => {
    const [long, exact] = limitErrors([
      error('p'.repeat(251), 'm'.repeat(1001)),
      error('p'.repeat(250), 'm'.repeat(1000)),
    ])
    expect(long).toEqual(error(`${'p'.repeat(249)}…`, `${'m'.repeat(999)}…`))
    expect(exact).toEqual(error('p'.repeat(250), 'm'.repeat(1000)))
  })

  it('have at most 8,192 bytes together, with a comma after each of them', () => {
    const sizeOf = (message: string) => Buffer.byteLength(JSON.stringify(error('p', message))) + 1
    const empty = sizeOf('')
    // Eight errors of exactly 1,024 bytes each.
    const whole = Array.from({ length: 9 }, () => error('p', 'm'.repeat(1024 - empty)))
    expect(limitErrors(whole)).toHaveLength(8)
    const larger = whole.map(({ path, message }) => error(path, `${message}m`))
    expect(limitErrors(larger)).toHaveLength(7)
    const outsideAscii = Array.from({ length: 20 }, () => error('p', 'é'.repeat(500)))
    expect(limitErrors(outsideAscii)).toHaveLength(Math.floor(8192 / sizeOf('é'.repeat(500))))
  })
})

describe('the field errors without values of the request', () => {
  const listed = (path: PropertyKey[], value: unknown, source: 'body' | 'headers' = 'body') => {
    const declares = (name: string) => ['items', 'name', 'X-Api-Key', 'toString'].includes(name)
    return genericErrors([{ path, message: 'secret' }], { source, value, declares })
  }

  it.each([
    [['items', 1, 'name'], { items: [{}, { name: 7 }] }, 'items.1.name', 'is not valid'],
    [['items', 1, 'name'], { items: [{}, {}] }, 'items.1.name', 'is missing'],
    [['other', 'name'], { other: { name: 1 } }, '*.name', 'is not valid'],
    // Only the index of a list is not a name from the request.
    [['items', '1'], { items: { 1: 'a' } }, 'items.*', 'is not valid'],
    [['toString'], {}, 'toString', 'is missing'],
    [['name'], null, 'name', 'is missing'],
    [[Symbol('name')], {}, '*', 'is missing'],
    [[], 'text', '', 'is not valid'],
  ])('contain only names of the schema: %j in %j', (path, value, shown, message) => {
    expect(listed(path, value)).toEqual([{ in: 'body', path: shown, message }])
  })

  it('find headers whose names have capital letters in the schema', () => {
    expect(listed(['X-Api-Key'], { 'x-api-key': 'wrong' }, 'headers')).toEqual([
      { in: 'headers', path: 'X-Api-Key', message: 'is not valid' },
    ])
  })

  it('contain each field once, even if several rules reject it', () => {
    const issues = ['too short', 'too simple'].map((message) => ({ path: ['name'], message }))
    const all = { source: 'body', value: { name: 'a' }, declares: () => true } as const
    expect(genericErrors(issues, all)).toHaveLength(1)
  })

  it('contain a missing and an invalid field separately, even if both names are hidden', () => {
    const issues = ['absent', 'wrong'].map((name) => ({ path: [name], message: 'is not valid' }))
    const all = { source: 'body', value: { wrong: 1 }, declares: () => false } as const
    expect(genericErrors(issues, all).map(({ message }) => message)).toEqual([
      'is missing',
      'is not valid',
    ])
  })
})
