import type { Request } from 'blazon'
import { describe, expect, it } from 'vitest'
import { requestIdOf, userIdOf } from '../../../src/features/logs/request-facts.js'
import { REQUEST_IDS, thrower, USERS } from '../../identities.js'

describe('the user in a log line', () => {
  it.each(USERS)('is %s', (_, user, expected) => {
    expect(userIdOf({ user } as Request) ?? null).toBe(expected)
  })
})

describe('the request id in a log line', () => {
  it.each(REQUEST_IDS)('is %s', (_, id, expected) => {
    expect(requestIdOf({ id } as Request) ?? null).toBe(expected)
  })

  it('is nothing if it cannot be read', () => {
    expect(requestIdOf(thrower('id') as Request)).toBeUndefined()
  })
})
