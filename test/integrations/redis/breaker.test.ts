import { expect, it } from 'vitest'
import { Breaker } from '../../../src/integrations/redis/failures.js'

function failing(times: number): Breaker {
  const breaker = new Breaker()
  for (let i = 0; i < times; i++) breaker.fail()
  return breaker
}

it('a breaker opens at the fifth failure in a row, but not earlier', () => {
  expect([0, 4, 5, 6].map((times) => failing(times).isOpen)).toEqual([false, false, true, true])
})

it('a breaker counts failures from zero after a success', () => {
  const breaker = failing(4)
  breaker.succeed()
  for (let i = 0; i < 4; i++) breaker.fail()
  expect(breaker.isOpen).toBe(false)
  breaker.fail()
  expect(breaker.isOpen).toBe(true)
})

it('a breaker stays open after a late success and closes only on reset()', () => {
  const breaker = failing(5)
  breaker.succeed()
  breaker.succeed()
  expect(breaker.isOpen).toBe(true)
  breaker.reset()
  expect(breaker.isOpen).toBe(false)
  for (let i = 0; i < 4; i++) breaker.fail()
  expect(breaker.isOpen).toBe(false)
})
