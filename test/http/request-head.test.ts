import { expect, it } from 'vitest'
import { hasTooManyParameters } from '../../src/http/request-head.js'

it('a query has too many parameters only with more than 1,000, after an `&` at its end or not', () => {
  const most = `/?${'a&'.repeat(1000)}`
  const found = [most.slice(0, -1), most, `${most}b`].map(hasTooManyParameters)
  expect(found).toEqual([false, false, true])
})
