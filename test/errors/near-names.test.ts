import { describe, expect, it } from 'vitest'
import { nearNames } from '../../src/errors/near-names.js'

const known = ['UserService', 'UserStore', "'database'", 'Symbol(mailer)', 'Clock']

describe('nearNames', () => {
  it.each([
    ['UserServcie', ['UserService']],
    ['userService', ['UserService']],
    ['UsersService', ['UserService']],
    ["'databse'", ["'database'"]],
    ['Mailer', ['Symbol(mailer)']],
    ['Clocks', ['Clock']],
    ['Payment', []],
    ['', []],
  ])('for the name %j, returns the known names %j', (name, near) => {
    expect(nearNames(name, known)).toEqual(near)
  })

  it('returns the nearest name first, at most three names, and each name once', () => {
    const names = ['aaaaaaaab', 'aaaaaaabb', 'aaaaaaaaa', 'aaaaaaaac', 'aaaaaaaaa']
    expect(nearNames('aaaaaaaaa', names)).toEqual(['aaaaaaaaa', 'aaaaaaaab', 'aaaaaaaac'])
  })
})
