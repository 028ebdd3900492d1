import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createFastCopy, type FastCopy } from '../../../src/schema/fields/fast-copy.js'

const limited: [unknown, string, number][] = []

/** A copy of objects with these names, which has learned the keys. */
function learned(names: readonly string[], keys: readonly string[] = names): FastCopy {
  const fast = createFastCopy(names, (part, name, index) => {
    limited.push([part, name, index])
    return part
  })
  if (fast === null) throw new Error('There is no fast copy for these names.')
  fast.learn(keys)
  return fast
}

describe('createFastCopy()', () => {
  it('copies the fields of the schema from objects with learned keys', () => {
    const fast = learned(['id', 'name'], ['name', 'secret', 'id'])
    const value = { name: 'Ada', secret: 'x', id: 1 }
    expect(fast.copy(value)).toEqual({ id: 1, name: 'Ada' })
    expect(fast.copy(Object.assign(Object.create(null), value))).toEqual({ id: 1, name: 'Ada' })
  })

  it('calls the given function for parts that are not a string, number, boolean or null', () => {
    limited.length = 0
    const parts = [{}, [], () => {}, 1n, undefined, Symbol('s')] as const
    const names = parts.map((_, index) => `p${index}`)
    const value = Object.fromEntries(parts.map((part, index) => [`p${index}`, part]))
    expect(learned(names).copy({ ...value })).toEqual(value)
    expect(limited).toEqual(parts.map((part, index) => [part, `p${index}`, index]))
  })

  it.each<[string, object]>([
    ['an additional key', { id: 1, name: 'a', secret: 'x' }],
    ['a missing key', { id: 1 }],
    ['a different key', { id: 1, secret: 'x' }],
    ['keys in a different order', { name: 'a', id: 1 }],
    ['no keys', {}],
    ['a custom prototype', Object.assign(Object.create({ x: 1 }), { id: 1, name: 'a' })],
    [
      'a class of its own',
      new (class {
        id = 1
        name = 'a'
      })(),
    ],
    ['a key that is not enumerable', Object.defineProperty({ id: 1 }, 'name', { value: 'hidden' })],
    ['inherited keys', Object.create({ id: 1, name: 'a' })],
    ['a symbol instead of a key', { id: 1, [Symbol('name')]: 'a' }],
  ])('does not copy an object with %s', (_, value) => {
    expect(learned(['id', 'name']).copy(value)).toBeUndefined()
  })

  it('reads each property once, so that a getter cannot return other data later', () => {
    let reads = 0
    const value = {
      id: 1,
      get name() {
        return reads++ === 0 ? 'Ada' : { secret: 'x' }
      },
    }
    expect(learned(['id', 'name']).copy(value)).toEqual({ id: 1, name: 'Ada' })
    expect(reads).toBe(1)
  })

  it('does not copy a property that a library has added to Object.prototype', () => {
    const fast = learned(['id', 'added'])
    const added = { value: 'x', enumerable: true, configurable: true }
    Object.defineProperty(Object.prototype, 'added', added)
    const copy = fast.copy({ id: 1 })
    Reflect.deleteProperty(Object.prototype, 'added')
    expect(copy).toBeUndefined()
  })

  it('does not learn the keys of an object that lacks a field, and keeps the learned keys', () => {
    const fast = learned(['id', 'name'], ['id', 'x'])
    expect(fast.copy({ id: 1, x: 1 })).toBeUndefined()
    fast.learn(['id', 'name'])
    fast.learn(['id', 'secret'])
    expect(fast.copy({ id: 1, name: 'a' })).toEqual({ id: 1, name: 'a' })
  })

  it('replaces its learned keys only a limited number of times', () => {
    const fast = learned(['id'])
    for (let n = 0; n < 20; n++) fast.learn(['id', `x${n}`])
    const copied = Array.from({ length: 20 }, (_, n) => fast.copy({ id: 1, [`x${n}`]: 1 }))
    expect(copied.filter((copy) => copy !== undefined)).toEqual([{ id: 1 }])
  })

  it('returns null for names that every object inherits, and for an empty list of names', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(createFastCopy(['id', name], (part) => part)).toBeNull()
    }
    expect(createFastCopy([], (part) => part)).toBeNull()
  })

  it('treats names as data, never as code', () => {
    const names = ['"', "'", '`$`', '\\', '\u2028', 'a"]: 1, ["b', '*/', '', '0', 'let']
    const value = Object.fromEntries(names.map((name, index) => [name, `v${index}`]))
    expect(learned(names, Object.keys(value)).copy(value)).toEqual(value)
  })

  it('makes no copies if the runtime forbids code generation', () => {
    const code = `
      import { createFastCopy } from './src/schema/fields/fast-copy.ts'
      const fast = createFastCopy(['id'], (part) => part)
      fast.learn(['id'])
      console.log(String(fast.copy({ id: 1 })))
    `
    const flags = ['--disallow-code-generation-from-strings', '--import', 'tsx']
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [...flags, '--input-type=module', '-e', code],
      { encoding: 'utf8' },
    )
    expect([stdout.trim(), stderr]).toEqual(['undefined', ''])
  })
})
