import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hideIn, hideInUrl } from '../../src/schema/hide-values.js'
import { SecretTexts } from '../../src/schema/secret-texts.js'
import { findSecrets } from '../../src/schema/secrets.js'
import { countWork } from '../count-work.js'

const hidden = (values: string[], names: string[] = []) => ({
  texts: new SecretTexts(new Set(values)),
  names: new Set(names),
})

const hide = (text: string, ...values: string[]) => new SecretTexts(new Set(values)).hideIn(text)

describe('SecretTexts', () => {
  it.each([
    ['a secret', 'is hunter22!', ['hunter22'], 'is [secret]!'],
    ['one secret inside another', 'abcdef abcd', ['abcd', 'abcdef'], '[secret] [secret]'],
    ['secrets that overlap', 'xabcdefghx', ['abcdef', 'defgh'], 'x[secret]x'],
    [
      'a secret that is also the replacement word',
      'a secret x1y2',
      ['secret', 'x1y2'],
      'a [secret] [secret]',
    ],
    [
      'a short secret only as a whole word',
      'id, idea, éid (id)',
      ['id'],
      '[secret], idea, éid ([secret])',
    ],
    ['a secret in JSON', '{"a":"x\\"y z"}', ['x"y z'], '{"a":"[secret]"}'],
    ['a secret in a form', 'a=x+y%21&b', ['x y!'], 'a=[secret]&b'],
    ['a secret with half a surrogate pair', 'a \ud800bcd', ['\ud800bcd'], 'a [secret]'],
  ])('hides %s', (_, text, values, expected) => {
    expect(hide(text, ...values)).toBe(expected)
    const many = Array.from({ length: 50 }, (_, n) => `${n}-not-in-the-text`)
    expect(hide(text, ...values, ...many)).toBe(expected)
  })

  it('hides one of many secrets with a common prefix, but not the text after it', () => {
    const tokens = Array.from({ length: 10_000 }, (_, n) => `sk_live_${n}`)
    expect(hide('with sk_live_77 and more', ...tokens)).toBe('with [secret] and more')
    expect(hide('with none', ...tokens)).toBe('with none')
  })

  it('hides the same parts as a search for each secret at each position', () => {
    const unit = fc.constantFrom('a', 'b', 'c', ' ', '"', '%', '(', 'é', '\ud800', '2')
    const values = fc.array(fc.string({ unit, minLength: 1, maxLength: 7 }), { maxLength: 8 })
    const parts = fc.array(fc.string({ unit, maxLength: 12 }), { maxLength: 4 })
    const chosen = fc.array(fc.nat(100), { maxLength: 8 })
    fc.assert(
      fc.property(values, parts, chosen, (secrets, others, order) => {
        const pool = [...others, ...secrets.flatMap(formsOf), ' ']
        const text = order.map((n) => pool[n % pool.length]).join('')
        expect(hide(text, ...secrets)).toBe(hideOneByOne(text, secrets))
      }),
      { numRuns: 3000 },
    )
  })

  it('does not compare each position of a string with each secret', () => {
    const workOf = (size: number) => {
      const secrets = Array.from({ length: 100 }, (_, n) => `${'a'.repeat(size)}${n}`)
      return countWork(() => hide('a'.repeat(100 * size), ...secrets))
    }
    expect(workOf(60)).toBeLessThanOrEqual(2 * workOf(30))
  })
})

/** The forms in which a secret may be in a text. */
function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1)
  if (/\p{Surrogate}/u.test(value)) return [value, json]
  const form = new URLSearchParams([['', value]]).toString().slice(1)
  return [value, json, encodeURIComponent(value), form]
}

/** The meaning of hiding: at each position, the longest secret that is there. */
function hideOneByOne(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap(formsOf)
  const isWord = (character = ' ') => /[\p{L}\p{N}_]/u.test(character)
  let [hidden, shown] = ['', 0]
  for (let at = 0; at < text.length; at++) {
    const fitting = forms.filter((form) => {
      const isAlone = !isWord(text[at - 1]) && !isWord(text[at + form.length])
      return text.startsWith(form, at) && (form.length >= 4 || isAlone)
    })
    const end = at + Math.max(0, ...fitting.map((form) => form.length))
    if (end <= at || end <= shown) continue
    if (at >= shown) hidden += `${text.slice(shown, at)}[secret]`
    shown = end
  }
  return hidden + text.slice(shown)
}

describe('hideIn', () => {
  it('returns a value without secrets unchanged', () => {
    const value = { err: new Error('x'), at: new Date(0) }
    expect(hideIn(value, hidden(['hunter22']))).toBe(value)
  })

  it('hides secrets in the properties of an error, and keeps its class, name and stack', () => {
    class Coded extends Error {
      readonly #code = 'E_HUNTER22 hunter22'
      get code() {
        return this.#code
      }
    }
    const timeout = new DOMException('hunter22 is late', 'TimeoutError')
    const [dom, coded] = hideIn([timeout, new Coded('hunter22')], hidden(['hunter22']))
    expect(dom).toBeInstanceOf(DOMException)
    expect([dom.name, dom.message, dom.code]).toEqual(['TimeoutError', '[secret] is late', 23])
    expect(coded).toBeInstanceOf(Coded)
    expect([coded.message, coded.code]).toEqual(['[secret]', 'E_HUNTER22 [secret]'])
    // A schema may have secret fields with these names.
    const error = Object.assign(new Error('hunter22 is wrong'), { body: { message: 'm' } })
    const named = hideIn(error, hidden(['hunter22'], ['name', 'message', 'stack']))
    expect(named.message).toBe('[secret] is wrong')
    expect(named.stack).toContain('hide-values.test')
    expect(named.body.message).toBe('[secret]')
  })

  it('hides secrets in maps, sets, keys and class instances, but leaves other objects unchanged', () => {
    class Entry {
      key = 'hunter22'
    }
    const date = new Date(0)
    const found = hideIn(
      {
        map: new Map<unknown, unknown>([
          ['a', { b: 'hunter22' }],
          ['of hunter22', 1],
        ]),
        set: new Set(['hunter22']),
        entry: new Entry(),
        json: { toJSON: () => ({ text: 'x hunter22' }) },
        'by hunter22': 1,
        date,
      },
      hidden(['hunter22']),
    )
    expect(found).toEqual({
      map: new Map<unknown, unknown>([
        ['a', { b: '[secret]' }],
        ['of [secret]', 1],
      ]),
      set: new Set(['[secret]']),
      entry: Object.assign(new Entry(), { key: '[secret]' }),
      json: { text: 'x [secret]' },
      'by [secret]': 1,
      date,
    })
    expect((found as { date: Date }).date).toBe(date)
  })

  it('keeps hidden properties out of the enumeration, as in the value', () => {
    const value = Object.defineProperty({ key: 'hunter22' }, 'own', { value: 'hunter22' })
    const found = hideIn(value, hidden(['hunter22'])) as { own?: string }
    expect(Object.keys(found)).toEqual(['key'])
    expect(found.own).toBe('[secret]')
  })

  it('hides the objects after the first 10,000 of one value', () => {
    const list = Array.from({ length: 10_010 }, (_, at) => ({ at }))
    const found = hideIn(['hunter22', list], hidden(['hunter22']))[1] as unknown[]
    expect(found[9000]).toEqual({ at: 9000 })
    expect(found.at(-1)).toBe('[secret]')
  })

  it('never throws, and finishes even for cyclic and very deep values', () => {
    const throwing = {
      get boom(): never {
        throw new Error('x')
      },
    }
    const proxy = new Proxy({}, { ownKeys: () => assertNever() })
    const loop: Record<string, unknown> = { key: 'hunter22' }
    loop.self = loop
    const wide = Array.from({ length: 50_000 }, () => ({ key: 'hunter22' }))
    let deep: unknown = 'hunter22'
    for (let n = 0; n < 50_000; n++) deep = [deep]
    const copy = hideIn({ throwing, proxy, loop, wide, deep }, hidden(['hunter22']))
    expect(copy.throwing).toEqual({ boom: '[unreadable]' })
    expect(copy.loop).toMatchObject({ key: '[secret]', self: { key: '[secret]' } })
    expect(JSON.stringify(copy.wide)).not.toContain('hunter22')
    expect(JSON.stringify(copy.deep)).not.toContain('hunter22')
  })
})

function assertNever(): never {
  throw new Error('must not be read')
}

describe('hideInUrl', () => {
  it.each([
    ['/a?token=a/b%20c', ['a/b c'], [], '/a?token=[secret]'],
    ['/a?token=a+b&x=1', ['a b'], [], '/a?token=[secret]&x=1'],
    ['/a?token=%68unter22', ['hunter22'], [], '/a?token=[secret]'],
    ['/reset/%68unter22?x=1', ['hunter22'], [], '/reset/[secret]?x=1'],
    ['/a?token=%hunter22', ['%hunter22'], [], '/a?token=[secret]'],
    ['/a?Token=x&y', [], ['token'], '/a?Token=[secret]&y'],
    ['/a?x=%20', ['hunter22'], ['token'], '/a?x=%20'],
    ['/a?Card=4711&x=1', [], ['card'], '/a?Card=[secret]&x=1'],
    ['/a?%43ard=4711', [], ['card'], '/a?%43ard=[secret]'],
    ['/a?my+card=4711', [], ['my card'], '/a?my+card=[secret]'],
    ['/a?token&x=1', ['hunter22'], [], '/a?token&x=1'],
    ['/a?x=%61+b', ['a b'], [], '/a?x=[secret]'],
  ])('hides only the secrets in %s', (url, values, names, expected) => {
    expect(hideInUrl(url, hidden(values, names))).toBe(expected)
  })
})

describe('the secrets of a value', () => {
  const secret = () => z.any().meta({ secret: true })
  const collect = (schema: z.ZodType, value: unknown) => {
    const found = new Set<string>()
    findSecrets(schema, {})?.collect(value, found)
    return found
  }

  it('are found at any depth', () => {
    const Node: z.ZodType = z.object({
      key: secret(),
      get next() {
        return Node.optional()
      },
    })
    let list: unknown = 'first'
    for (let n = 0; n < 40_000; n++) list = [list]
    expect(collect(z.object({ key: secret() }), { key: list })).toContain('first')
    let chain: object = { key: 'last' }
    for (let n = 0; n < 20_000; n++) chain = { key: 'x', next: chain }
    expect(collect(Node, chain)).toContain('last')
  })

  it('are the same as in a simple recursive search', () => {
    const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<Json>({}, { secret: true }, { $ref: '#' }, { $ref: '#/$defs/own' }),
        fc.record({ items: tie('schema') }),
        fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 2 }) }),
        fc.record(
          {
            properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
            additionalProperties: tie('schema'),
          },
          { requiredKeys: [] },
        ),
      ),
    }))
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ minLength: 1, maxLength: 3 }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
      ),
    }))
    fc.assert(
      fc.property(schema, schema, fc.array(value, { maxLength: 3 }), (root, own, values) => {
        const whole: Json = { ...root, $defs: { own } }
        const secrets = findSecrets(whole, {})
        for (const each of values) {
          const found = new Set<string>()
          secrets?.collect(each, found)
          const expected = new Set<string>()
          walk(each, [whole], { whole, found: expected })
          expect([...found].sort()).toEqual([...expected].sort())
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('are found in dependent schemas, and in every item of a list', () => {
    const key = { properties: { key: { type: 'string', format: 'password' } } }
    const schema = {
      dependentSchemas: { card: key },
      properties: { pins: { type: 'array', items: { secret: true } } },
    }
    const secrets = findSecrets(schema, {})
    const found = new Set<string>()
    secrets?.collect({ card: 1, key: 'hunter22', pins: ['1234'] }, found)
    expect([...found].sort()).toEqual(['1234', 'hunter22'])
    expect([...(secrets?.names ?? [])].sort()).toEqual(['key', 'pins'])
  })

  it('are texts and numbers of any size, but not empty texts and other values', () => {
    const value = {
      a: { n: 4711, big: 98765432109876543210n, none: '', flag: true, nothing: null },
    }
    expect([...collect(z.object({ a: secret() }), value)].sort()).toEqual([
      '4711',
      '98765432109876543210',
    ])
  })

  it('are found in dates and cyclic objects, even next to a getter that throws', () => {
    const loop: Record<string, unknown> = { text: 'inner', bytes: Buffer.from('1234') }
    loop.self = loop
    const throwing = {
      get boom(): never {
        throw new Error('x')
      },
    }
    const found = collect(z.object({ a: secret(), b: secret() }), { a: loop, b: throwing })
    expect([...found]).toEqual(['inner'])
    expect([...collect(z.looseObject({ a: secret() }), { a: new Date(0) })]).toEqual([
      '1970-01-01T00:00:00.000Z',
    ])
  })
})

type Json = Readonly<Record<string, unknown>>

interface Walk {
  readonly whole: Json
  readonly found: Set<string>
}

/** Finds the secrets of a value, one part after another. */
function walk(value: unknown, schemas: readonly Json[] | null, way: Walk): void {
  const all = schemas && new Set(schemas)
  for (const schema of all ?? []) {
    const { $ref, anyOf } = schema as { $ref?: string; anyOf?: Json[] }
    const target = $ref === '#' ? way.whole : $ref && (way.whole['$defs'] as { own: Json }).own
    for (const each of [...(target ? [target] : []), ...(anyOf ?? [])]) all?.add(each)
  }
  const same = all && [...all]
  const isSecret = same === null || same.some((schema) => schema['secret'] === true)
  if (typeof value === 'string') {
    if (isSecret) way.found.add(value)
    return
  }
  for (const [name, member] of Object.entries(value as object)) {
    const inside = (same ?? []).flatMap((schema): readonly Json[] => {
      const { items, properties, additionalProperties } = schema as Record<string, Json>
      const own = Array.isArray(value) ? [items] : [properties?.[name], additionalProperties]
      return own.filter((each) => each !== undefined) as Json[]
    })
    walk(member, isSecret ? null : inside, way)
  }
}
