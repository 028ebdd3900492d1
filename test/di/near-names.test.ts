import { describe, expect, it } from 'vitest'
import { nearNames } from '../../src/di/near-names.js'

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
  ])('finds for %s %j', (name, near) => {
    expect(nearNames(name, known)).toEqual(near)
  })

  it('names the nearest first, three at most, each once', () => {
    const names = ['aaaaaaaab', 'aaaaaaabb', 'aaaaaaaaa', 'aaaaaaaac', 'aaaaaaaaa']
    expect(nearNames('aaaaaaaaa', names)).toEqual(['aaaaaaaaa', 'aaaaaaaab', 'aaaaaaaac'])
  })
})
