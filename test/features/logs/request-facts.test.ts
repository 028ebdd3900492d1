import type { Request } from 'blazon'
import { describe, expect, it } from 'vitest'
import { requestIdOf, userIdOf } from '../../../src/features/logs/request-facts.js'

const thrower = (name: string) =>
  Object.defineProperty({}, name, {
    get() {
      throw new Error('own getter')
    },
  })

describe('the user in a log line', () => {
  it.each<[string, unknown, string | undefined]>([
    ['its id', { id: 7, sub: 's' }, '7'],
    ['its subject', { sub: 's', _id: 'o' }, 's'],
    ['the id of a document', { _id: 'o', userId: 'u' }, 'o'],
    ['its user id', { userId: 'u', uid: 'x' }, 'u'],
    ['its short user id', { uid: 5n }, '5'],
    ['the next field after an empty id', { id: '', sub: 's' }, 's'],
    ['the next field after an object', { id: { a: 1 }, sub: 's' }, 's'],
    ['zero', { id: 0 }, '0'],
    ['a text', 'ada', 'ada'],
    ['a number', 7, '7'],
    ['at most 256 characters', { id: 'x'.repeat(257) }, 'x'.repeat(256)],
    ['nothing without an id', { name: 'Ada' }, undefined],
    ['nothing for a boolean', true, undefined],
    ['nothing for null', null, undefined],
    ['nothing if its id cannot be read', thrower('id'), undefined],
  ])('is %s', (_, user, expected) => {
    expect(userIdOf({ user } as Request)).toBe(expected)
  })
})

describe('the request id in a log line', () => {
  it.each<[string, unknown, string | undefined]>([
    ['a text', 'r1', 'r1'],
    ['a number', 7, '7'],
    ['at most 128 characters', 'x'.repeat(129), 'x'.repeat(128)],
    ['nothing for an empty text', '', undefined],
    ['nothing for an object', {}, undefined],
  ])('is %s', (_, id, expected) => {
    expect(requestIdOf({ id } as Request)).toBe(expected)
  })

  it('is nothing if it cannot be read', () => {
    expect(requestIdOf(thrower('id') as Request)).toBeUndefined()
  })
})
