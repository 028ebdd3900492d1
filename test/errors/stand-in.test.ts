import { ConfigError } from 'blazon'
import { describe, expect, it } from 'vitest'
import { invalid } from '../../src/errors/config-error.js'
import { orStandIn, standInProblems } from '../../src/errors/stand-in.js'

const problemOf = (subject: string) => invalid(subject, 'It is wrong.', 'Correct it.')
const refusing = (subject: string) => (): never => {
  throw new ConfigError([problemOf(subject)])
}
const store = { name: 'memory', read: () => 'value' }
const subjects = (value: unknown) => standInProblems([value]).map(({ subject }) => subject)

describe('the result of a factory with a wrong option', () => {
  it('has the fields of a valid result, but its functions throw the problem', () => {
    const made = orStandIn(refusing('store(): a'), () => store)
    expect(made.name).toBe('memory')
    expect(() => made.read()).toThrow('store(): a')
    expect(subjects(made)).toEqual(['store(): a'])
  })

  it('also has the problems of a wrong part, whether or not its own options are wrong', () => {
    const part = orStandIn(refusing('part(): b'), () => store)
    const parts = [part, 'text', undefined]
    const right = orStandIn(
      () => ({ ...store }),
      () => store,
      parts,
    )
    expect(subjects(right)).toEqual(['part(): b'])
    expect(() => right.read()).toThrow('part(): b')
    const wrong = orStandIn(refusing('store(): a'), () => store, parts)
    expect(subjects(wrong)).toEqual(['store(): a', 'part(): b'])
    expect(() => wrong.read()).toThrow('part(): b')
  })

  it('is the result itself if nothing is wrong', () => {
    expect(orStandIn(() => store, refusing('unused'))).toBe(store)
    expect(subjects(store)).toEqual([])
  })

  it('is not created for an error of another kind', () => {
    const failing = () => {
      throw new TypeError('no memory')
    }
    expect(() => orStandIn(failing, () => store)).toThrow(TypeError)
  })
})
