import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pascalCase, titleCase } from '../../src/openapi/naming.js'

const name = fc.string({
  unit: fc.constantFrom(...'aBz09_$- .XYZw'),
  minLength: 1,
  maxLength: 12,
})

describe('names', () => {
  it.each([
    ['getUserById', 'Get User By Id', 'GetUserById'],
    ['listHTTPCodes', 'List HTTP Codes', 'ListHTTPCodes'],
    ['Users_getById2', 'Users Get By Id2', 'UsersGetById2'],
    ['größeÄndern', 'Größe Ändern', 'GrößeÄndern'],
    ['$', '', ''],
  ])('are split into words: %s', (given, title, pascal) => {
    expect([titleCase(given), pascalCase(given)]).toEqual([title, pascal])
  })

  it('are split in the same way if a non-ASCII word follows', () => {
    const wrong = fc.sample(name, { numRuns: 2000, seed: 7 }).filter((given) => {
      const beside = titleCase(`${given} é`).split(' ').slice(0, -1).join(' ')
      return beside !== titleCase(given)
    })
    expect(wrong).toEqual([])
  })
})
